/**
 * Random arguments for every built-in tool, through `authorize` and the runner as a model's or a script's call goes:
 * never an internal error, never a run with arguments that do not fit (another validator says what fits), and the
 * prototypes of JavaScript stay what they are. The network, other processes and the machine's figures are played.
 */
import fs from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { createTasks } from '../../src/agent/loop/run-tool/tasks.ts';
import { createToolRegistry } from '../../src/agent/loop/run-tool/tool-registry.ts';
import { runTool } from '../../src/agent/loop/run-tool.ts';
import { type AuthorizePorts, authorize } from '../../src/agent/permissions/authorize.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { failure, succeed } from '../../src/core/outcome.ts';
import { NO_RULES } from '../../src/core/policy.ts';
import type { Network, Processes } from '../../src/core/ports.ts';
import type { Tool, ToolContext } from '../../src/core/tool.ts';
import { ok } from '../../src/core/tool-result.ts';
import { systemClock } from '../../src/io/clock.ts';
import { createJobs } from '../../src/io/processes/jobs.ts';
import { createWorkspace } from '../../src/io/workspace.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/index.ts';
import { type FuzzPart, generator } from './part.ts';
import { onlyKnown, payload } from './payloads.ts';

const LEAST_RUN = 0.05;
/** Files that calls wrote are taken away after so many of them, so that a listing stays short. */
const TIDY_AFTER = 5_000;

const processes: Processes = {
  run: async () =>
    succeed({
      exitCode: 0,
      signal: null,
      stdout: '',
      stderr: '',
      output: '',
      timedOut: false,
      cancelled: false,
    }),
  open: async () => failure('io_error', 'no processes here'),
};
const network: Network = {
  request: async () => ({ ok: false, error: { kind: 'refused', message: 'no network here' } }),
};

/** Two looks at the machine take half a second, and say nothing about arguments. */
const played = (tool: Tool): Tool => (tool.name === 'system_stats' ? { ...tool, run: async () => ok('played') } : tool);

const lay = (root: string): void => {
  for (const name of fs.readdirSync(root)) fs.rmSync(path.join(root, name), { recursive: true, force: true });
  fs.mkdirSync(path.join(root, 'sub'));
  fs.writeFileSync(path.join(root, 'a.txt'), 'one\ntwo\n');
  fs.writeFileSync(path.join(root, 'sub/b.txt'), 'one\n');
};

const openWorld = async (root: string): Promise<Omit<ToolContext, 'signal'>> => {
  const opened = await createWorkspace({ root });
  if (!opened.ok) throw new Error(opened.error.message);
  return {
    workspace: opened.value,
    network,
    processes,
    clock: systemClock,
    config: {
      graph_rag: 'on',
      web: { offline: false, search: { backend: 'duckduckgo' }, image: { url: 'http://image.test', api: 'openai' } },
    },
    jobs: createJobs(processes),
    tasks: createTasks(
      () => [],
      () => {},
    ),
    report: () => {},
  };
};

const isPolluted = (): boolean =>
  Object.keys(Object.prototype).length > 0 ||
  (Object.create(null) as JsonObject)['polluted'] !== undefined ||
  ({} as JsonObject)['polluted'] !== undefined;

/** An object whose numbers are all exact. */
const isPlain = (args: JsonObject): boolean =>
  typeof args === 'object' &&
  args !== null &&
  !Array.isArray(args) &&
  Object.values(args).every((value) => typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER);

export const argumentsFuzz: FuzzPart = {
  count: 100_000,
  async run({ count, seed }) {
    const base = fs.realpathSync(
      fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : '/tmp', 'halter-fuzz-')),
    );
    try {
      const context = await openWorld(base);
      const random = generator(seed);
      const ajv = new Ajv({ strict: false, logger: false });
      const wrong: string[] = [];
      const lines: string[] = [];
      let least = 1;
      for (const tool of BUILT_IN_TOOLS.map(played)) {
        const fits = ajv.compile(tool.parameters);
        const ports: AuthorizePorts = {
          registry: createToolRegistry([tool]),
          rules: () => ({ ...NO_RULES, yolo: true }),
          workspace: context.workspace,
        };
        let ran = 0;
        for (let index = 0; index < count; index += 1) {
          if (index % TIDY_AFTER === 0) lay(base);
          const text = payload(tool.parameters, random);
          const note = (what: string): number => wrong.push(`${tool.name} ${text.slice(0, 200)}: ${what}`);
          const args = JSON.parse(text) as JsonObject;
          const mode = index % 2 === 0 ? 'strict' : 'model';
          try {
            const answer = await authorize(ports, { name: tool.name, arguments: args }, { mode });
            if (answer.kind === 'refused') {
              if (answer.error_type === 'internal_error') note(answer.message);
              // A path that the port refuses may be refused before; a number that is not exact is no number here.
              const isJudged = answer.arguments_at_fault && isPlain(args);
              if (isJudged && fits(onlyKnown(tool.parameters, args)))
                note(`fits, and is refused: ${answer.message.slice(0, 200)}`);
              continue;
            }
            if (!fits(answer.arguments))
              note(`runs, and does not fit: ${JSON.stringify(answer.arguments).slice(0, 200)}`);
            if (Object.getPrototypeOf(answer.arguments) !== Object.prototype)
              note('the arguments have another prototype');
            ran += 1;
            const result = await runTool(tool, answer.arguments, {
              context,
              signal: new AbortController().signal,
              defaultTimeoutMs: LIMITS.toolTimeoutMs,
            });
            if (result.error_type === 'internal_error') note(String(result.error_message));
          } catch (error) {
            note(`threw ${String(error)}`);
          }
          if (isPolluted()) note('a prototype was changed');
        }
        least = Math.min(least, ran / count);
        lines.push(`${tool.name.padEnd(22)} ${((100 * ran) / count).toFixed(1)} % fitted and ran`);
      }
      return {
        held: wrong.length === 0 && least >= LEAST_RUN,
        lines: [
          ...wrong.slice(0, 20),
          `${count} payloads for each of ${BUILT_IN_TOOLS.length} tools: ${wrong.length} went wrong; at least ${(100 * least).toFixed(1)} % of a tool's ran`,
          ...lines,
        ],
      };
    } finally {
      fs.rmSync(base, { recursive: true, force: true });
    }
  },
};
