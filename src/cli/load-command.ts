/** Where the code of each command is. It is loaded only when it is called: `halter --version` costs nothing else. */
import type { CommandCode } from './command-code.ts';

const LOADERS: Readonly<Record<string, () => Promise<CommandCode>>> = {
  '': async () => (await import('./commands/terminal.ts')).terminalCommand,
  run: async () => (await import('./commands/run.ts')).runCommand,
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  worker: async () => (await import('./commands/worker.ts')).workerCommand,
  'tools list': async () => (await import('./commands/tools.ts')).toolsListCommand,
  'tools call': async () => (await import('./commands/tools.ts')).toolsCallCommand,
  'tools validate': async () => (await import('./commands/tools-validate.ts')).toolsValidateCommand,
  parse: async () => (await import('./commands/parse.ts')).parseCommand,
  render: async () => (await import('./commands/render.ts')).renderCommand,
  conformance: async () => (await import('./commands/conformance.ts')).conformanceCommand,
  'models list': async () => (await import('./commands/models.ts')).modelsListCommand,
  'models pull': async () => (await import('./commands/models.ts')).modelsPullCommand,
  'models probe': async () => (await import('./commands/models-probe.ts')).modelsProbeCommand,
  'models rm': async () => (await import('./commands/models.ts')).modelsRemoveCommand,
  context: async () => (await import('./commands/context.ts')).contextCommand,
  index: async () => (await import('./commands/index-command.ts')).indexCommand,
  search: async () => (await import('./commands/search.ts')).searchCommand,
  'sessions list': async () => (await import('./commands/sessions.ts')).sessionsListCommand,
  'sessions search': async () => (await import('./commands/sessions.ts')).sessionsSearchCommand,
  'sessions show': async () => (await import('./commands/sessions.ts')).sessionsShowCommand,
  'sessions rename': async () => (await import('./commands/sessions.ts')).sessionsRenameCommand,
  'sessions fork': async () => (await import('./commands/sessions-copy.ts')).sessionsForkCommand,
  'sessions undo': async () => (await import('./commands/sessions-undo.ts')).sessionsUndoCommand,
  'sessions export': async () => (await import('./commands/sessions-copy.ts')).sessionsExportCommand,
  'sessions import': async () => (await import('./commands/sessions-copy.ts')).sessionsImportCommand,
  'sessions delete': async () => (await import('./commands/sessions.ts')).sessionsDeleteCommand,
  replay: async () => (await import('./commands/replay.ts')).replayCommand,
  'policy list': async () => (await import('./commands/policy.ts')).policyListCommand,
  'policy test': async () => (await import('./commands/policy-test.ts')).policyTestCommand,
  'policy explain': async () => (await import('./commands/policy-test.ts')).policyExplainCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  'config get': async () => (await import('./commands/config.ts')).configGetCommand,
  'config set': async () => (await import('./commands/config.ts')).configSetCommand,
  'config path': async () => (await import('./commands/config.ts')).configPathCommand,
  launch: async () => (await import('./commands/launch.ts')).launchCommand,
  acp: async () => (await import('./commands/acp.ts')).acpCommand,
  mcp: async () => (await import('./commands/mcp-serve.ts')).mcpCommand,
  'mcp add': async () => (await import('./commands/mcp.ts')).mcpAddCommand,
  'mcp list': async () => (await import('./commands/mcp.ts')).mcpListCommand,
  'mcp remove': async () => (await import('./commands/mcp.ts')).mcpRemoveCommand,
  'mcp login': async () => (await import('./commands/mcp-login.ts')).mcpLoginCommand,
  'mcp logout': async () => (await import('./commands/mcp-login.ts')).mcpLogoutCommand,
  'mcp allow': async () => (await import('./commands/mcp.ts')).mcpAllowCommand,
  egress: async () => (await import('./commands/egress.ts')).egressCommand,
  trust: async () => (await import('./commands/trust.ts')).trustCommand,
  completion: async () => (await import('./commands/completion.ts')).completionCommand,
};

export const loadCommand = (name: string): Promise<CommandCode> => {
  const load = LOADERS[name];
  if (load === undefined) throw new Error(`no code is named for the command ${JSON.stringify(name)}`);
  return load();
};
