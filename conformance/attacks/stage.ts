/** The terminal app over a real session and a scripted model server, drawn on a screen that is a text. */

import type { Agent } from '../../src/agent/create-agent.ts';
import type { Event, SessionUpdate } from '../../src/core/events.ts';
import type { Tool } from '../../src/core/tool.ts';
import { TerminalApp } from '../../src/terminal/app.ts';
import type { TestAgentOptions } from '../../src/testing/test-agent.ts';
import { CONFORMANCE_LIMITS } from '../limits.ts';
import { Unmet } from './attack-case.ts';
import { MODEL, type ModelServer, type Reply, startModelServer } from './model-server.ts';
import type { Scene } from './scene.ts';

export type StageOptions = {
  script(number: number): Reply;
  model?: string;
  rows?: number;
  columns?: number;
  allow?: readonly string[];
  /** Offered on the screen besides halter's own. */
  moreTools?: readonly Tool[];
  /** Servers whose tools are on offer. */
  mcp?: TestAgentOptions['mcp'];
  /** Whatever else the agent is opened with. */
  more?: Partial<TestAgentOptions>;
  /** An old session to go on with. */
  sessionId?: string;
};

export type Stage = {
  halter: Agent;
  server: ModelServer;
  /** Of the session that is on the stage. */
  sessionId: string;
  log(): readonly Event[];
  /** All that the session told, progress included. */
  told: readonly SessionUpdate[];
  send(message: string): Promise<void>;
  key(data: string): void;
  /** The person allows a call for good. */
  remember(callId: string): Promise<boolean>;
  /** The person answers the question about that call. */
  decide(callId: string, decision: 'allow_once' | 'session' | 'remember' | 'deny'): Promise<boolean>;
  idle(): Promise<void>;
  /** The person stops the run. */
  cancel(): Promise<void>;
  /** Every character that went to the terminal. */
  raw(): string;
  /** The same as lines, without halter's own colours and movements. */
  lines(): string[];
  /** Waits until it holds; false where it never does. */
  until(holds: () => boolean, ms?: number): Promise<boolean>;
  close(): Promise<void>;
};

const LOOK_MS = 15;
const ENTER = '\r';
/** What halter's own drawing writes: colours, movements, modes, the title. */
const OWN_SEQUENCES = /\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g;
const OWN_MOVES = /\r\n|\n|\r|\x1b\[[0-9]*[ABHG]/;

export const openStage = async (scene: Scene, options: StageOptions): Promise<Stage> => {
  const model = options.model ?? MODEL;
  const server = await startModelServer(model, options.script);
  scene.onEnd(() => server.close());
  const halter = await scene.open({
    provider: 'openai',
    baseUrl: server.baseUrl,
    model,
    ...(options.allow ? { allow: options.allow } : {}),
    ...(options.mcp ? { mcp: options.mcp } : {}),
    onAsk: 'wait',
    ...options.more,
  });
  const opened = await halter.openSession(options.sessionId === undefined ? {} : { id: options.sessionId });
  if (!opened.ok) throw new Unmet(`no session opens: ${opened.error.message}`);
  const session = opened.value;
  const told: SessionUpdate[] = [];
  session.subscribe((update) => told.push(update));
  let raw = '';
  const app = new TerminalApp(
    {
      session,
      openSession: async () => session,
      tools: [...halter.tools, ...(options.moreTools ?? [])],
      model: { name: model, endpoint: server.baseUrl },
      sandbox: halter.confinement,
      environment: scene.environment,
    },
    {
      surface: {
        columns: options.columns ?? 200,
        rows: options.rows ?? 60,
        write: (data) => {
          raw += data;
        },
      },
      now: () => Date.now(),
      quit: () => {},
      suspend: () => {},
      outside: (work) => work(),
    },
  );
  app.start();
  const close = async (): Promise<void> => {
    app.stop();
    await session.send({ type: 'cancel' });
    await session.close();
  };
  scene.onEnd(close);
  return {
    halter,
    server,
    sessionId: session.id,
    log: () => session.log(),
    told,
    async send(message) {
      const sent = await session.send({ type: 'send_message', content: message });
      if (!sent.ok) throw new Unmet(`the message was not taken: ${sent.message}`);
    },
    key: (data) => app.key(data),
    async remember(callId) {
      const sent = { type: 'resolve_permission', tool_call_id: callId, decision: 'remember' } as const;
      return (await session.send(sent)).ok;
    },
    async decide(callId, decision) {
      return (await session.send({ type: 'resolve_permission', tool_call_id: callId, decision })).ok;
    },
    idle: () => session.idle(),
    async cancel() {
      await session.send({ type: 'cancel' });
      await session.idle();
    },
    raw: () => raw,
    lines: () => raw.split(OWN_MOVES).map((line) => line.replaceAll(OWN_SEQUENCES, '').trimEnd()),
    async until(holds, ms = CONFORMANCE_LIMITS.waitMs) {
      const end = Date.now() + ms;
      while (!holds()) {
        if (Date.now() > end) return false;
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
      return true;
    },
    close,
  };
};

export const typeLine = (stage: Stage, text: string): void => {
  for (const character of text) stage.key(character);
  stage.key(ENTER);
};

/** White space and the edges of frames are the layout's, not the text's. */
export const withoutLayout = (text: string): string => text.replaceAll(/[\s┃│▌▏]+/g, '');
