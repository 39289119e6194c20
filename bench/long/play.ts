/** One conversation in a process of its own, so that its time and memory are its own: says every message, tells figures. */
import { createAgent } from '../../src/agent/create-agent.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/index.ts';
import { makePlainScenario, makeScenario } from './scenario.ts';

const [folder = '', home = '', baseUrl = '', seed = '1', messages = '60', plain] = process.argv.slice(2);
const scenario = (plain ? makePlainScenario : makeScenario)(Number(seed), Number(messages));
const compaction = process.env['COMPACTION'];
const agent = await createAgent({
  workspace: folder,
  model: {
    name: 'long-model',
    provider: 'openai',
    baseUrl,
    ...(compaction ? { compaction: compaction as 'notes' | 'rules' | 'off' } : {}),
  },
  tools: { available: BUILT_IN_TOOLS },
  permissions: { allow: ['read_file', 'edit_file'], onAsk: 'deny', sandbox: false },
  storage: 'files',
  io: { environment: { HOME: home, PATH: process.env['PATH'] }, onWarning: () => {} },
});
if (!agent.ok) throw new Error(agent.error.message);
const opened = await agent.value.openSession();
if (!opened.ok) throw new Error(opened.error.message);
const session = opened.value;
const warnings: string[] = [];
session.subscribe((update) => {
  if (update.type === 'warning') warnings.push(`${update.code}: ${update.message}`);
});
const endings: string[] = [];
const begun = process.cpuUsage();
const started = performance.now();
for (const { message } of scenario.turns) {
  await session.send({ type: 'send_message', content: message });
  await session.idle();
  const last = session.log().findLast(({ type }) => type === 'run_completed' || type === 'run_stopped');
  endings.push(last?.type === 'run_stopped' ? `${last.name}: ${last.message}` : 'ok');
}
const { user, system } = process.cpuUsage(begun);
const compacted = session.log().filter(({ type }) => type === 'context_compacted').length;
await session.close();
await agent.value.close();
process.stdout.write(
  `${JSON.stringify({
    seconds: (performance.now() - started) / 1_000,
    cpuSeconds: (user + system) / 1e6,
    rssMb: process.resourceUsage().maxRSS / 1024,
    compacted,
    endings,
    warnings,
  })}\n`,
);
