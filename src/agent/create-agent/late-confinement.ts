/**
 * The confinement of an agent's commands. Where no tool runs any at the start, it is looked for at the first command: a
 * person may type one, and a program may add a tool that runs some. So no command runs without it.
 */
import { type Confine, type Confinement, type SandboxReport, unconfined } from '../../sandbox/confine.ts';

export type LateConfinement = {
  /** As far as it is known; it changes in place when the confinement is found. */
  readonly report: SandboxReport;
  /** Looks for it once; the report holds from then on. */
  find(): Promise<SandboxReport>;
  /** Throws where commands are refused. */
  confine: (...request: Parameters<Confine>) => Promise<Awaited<ReturnType<Confine>> | undefined>;
  close(): Promise<void>;
};

export const lateConfinement = (open: () => Promise<Confinement>): LateConfinement => {
  const report: SandboxReport = { ...unconfined('no command ran yet').report, text: 'sandbox not looked for yet' };
  let opened: Promise<Confinement> | undefined;
  const found = (): Promise<Confinement> => {
    opened ??= open().then((confinement) => {
      Object.assign(report, confinement.report);
      return confinement;
    });
    return opened;
  };
  return {
    report,
    async find() {
      await found();
      return report;
    },
    async confine(...request) {
      const { report: now, confine } = await found();
      if (now.refused !== undefined) throw new Error(now.refused);
      return confine?.(...request);
    },
    async close() {
      (await opened)?.close();
    },
  };
};
