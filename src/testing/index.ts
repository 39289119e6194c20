/** What tests build on, ours and those of people who write tools (`halter/testing`). */
export {
  type ScriptedProvider,
  type ScriptedProviderSource,
  type ScriptedProviderTurn,
  scriptedProvider,
} from './scripted-provider.ts';
export type { ScriptedModel } from './scripted-server/models.ts';
export { type ScriptedNetwork, type ScriptedResponse, scriptedNetwork } from './scripted-server/network.ts';
export type { ScriptedCall, ScriptedServerTurn, ScriptedTurn, ScriptedUsage } from './scripted-server/turn.ts';
export {
  type ScriptedRequest,
  type ScriptedServer,
  type ScriptedServerOptions,
  type ScriptedTurnSource,
  startScriptedServer,
} from './scripted-server.ts';
