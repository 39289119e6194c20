/** The server as a library (`halter/server`). */
export { type App, type AppOptions, createApp } from './app.ts';
export type { SettingsPort } from './default-settings.ts';
export { type Listening, type ListenOptions, listen, type TlsFiles } from './listen.ts';
export type { McpLoginPorts } from './mcp-logins.ts';
export type { ModelKeyPort, ToldModelKey } from './model-key.ts';
export { type OpenHalterOptions, openHalter } from './open-halter.ts';
export { createProbes, type ProbesOptions } from './probes.ts';
