/** Every route of the server. */
import type { Route } from '../route.ts';
import { ACTIVITY_ROUTES } from './activity.ts';
import { CHAT_ROUTES } from './chat.ts';
import { DOCUMENT_ROUTES } from './documents.ts';
import { GATEWAY_ROUTES } from './gateway.ts';
import { INPUT_ROUTES } from './input.ts';
import { MCP_ROUTES } from './mcp.ts';
import { MODEL_ADMIN_ROUTES } from './model-admin.ts';
import { MODEL_KEY_ROUTES } from './model-key.ts';
import { MODEL_ROUTES } from './models.ts';
import { OLLAMA_ROUTES } from './ollama.ts';
import { PICTURE_ROUTES } from './pictures.ts';
import { PREVIEW_ROUTES } from './previews.ts';
import { RESPONSES_ROUTES } from './responses.ts';
import { RULE_ROUTES } from './rules.ts';
import { SESSION_CHANGE_ROUTES } from './session-changes.ts';
import { SESSION_COPY_ROUTES } from './session-copies.ts';
import { SESSION_ROUTES } from './sessions.ts';
import { SETTINGS_ROUTES } from './settings.ts';
import { SHARE_ROUTES } from './shares.ts';
import { STATISTICS_ROUTES } from './statistics.ts';
import { SYSTEM_ROUTES } from './system.ts';
import { TOOL_ROUTES } from './tools.ts';

export const ROUTES: readonly Route[] = [
  ...TOOL_ROUTES,
  ...CHAT_ROUTES,
  ...ACTIVITY_ROUTES,
  ...SESSION_ROUTES,
  ...SESSION_CHANGE_ROUTES,
  ...SESSION_COPY_ROUTES,
  ...SHARE_ROUTES,
  ...DOCUMENT_ROUTES,
  ...INPUT_ROUTES,
  ...PICTURE_ROUTES,
  ...MODEL_ROUTES,
  ...MODEL_ADMIN_ROUTES,
  ...RULE_ROUTES,
  ...SETTINGS_ROUTES,
  ...MODEL_KEY_ROUTES,
  ...STATISTICS_ROUTES,
  ...GATEWAY_ROUTES,
  ...RESPONSES_ROUTES,
  ...OLLAMA_ROUTES,
  ...MCP_ROUTES,
  ...SYSTEM_ROUTES,
  ...PREVIEW_ROUTES,
];
