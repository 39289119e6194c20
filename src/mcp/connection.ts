/**
 * One server: connected when it is first needed, connected again after it ended, with a growing pause between tries. Every
 * failure is a value; the program goes on without the server.
 */
import type { Progress } from '@modelcontextprotocol/client';
import type { JsonObject } from '../core/json.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { Clock } from '../core/ports.ts';
import type { QuestionPlace } from '../core/server-question.ts';
import { shownText } from './clean-text.ts';
import { createLink, type ServerState } from './connection/link.ts';
import { createRequests } from './connection/requests.ts';
import { stopClock } from './connection/stop-clock.ts';
import { markedArguments, restoreDigits } from './kept-digits.ts';
import { MCP_LIMITS } from './limits.ts';
import type { Environment, ServerDefinition } from './server-definition.ts';
import { type ServerQuestions, serverRequests } from './server-requests.ts';
import type { TransportPorts } from './transport.ts';

export type { ServerState };

export type ConnectionPorts = TransportPorts & {
  clock: Clock;
  environment: Environment;
  /** What a server may take for the place of the work. */
  root: string;
  version: string;
  /** Why the server may not be started now. */
  startProblem?(): string | undefined;
  questions: ServerQuestions;
  /** For whom the present work is done. */
  place(): QuestionPlace;
  /** The server says that its tools are other ones now. */
  onToolsChanged(): void;
};

export type CallOptions = { signal: AbortSignal; report(text: string): void; timeoutMs: number };

/** Answers are handed on as they came; who uses a field looks at it. */
export type Connection = {
  readonly server: ServerDefinition;
  state(): ServerState;
  /** As it describes them now; connects where that is due. */
  tools(): Promise<Outcome<JsonObject[]>>;
  resources(): Promise<Outcome<JsonObject[]>>;
  /** Whether it said so when it was connected last. */
  offersResources(): boolean;
  prompts(): Promise<Outcome<JsonObject[]>>;
  call(name: string, args: JsonObject, options: CallOptions): Promise<Outcome<JsonObject>>;
  readResource(uri: string): Promise<Outcome<JsonObject>>;
  prompt(name: string, args: JsonObject): Promise<Outcome<JsonObject>>;
  /** Ends the connection; the next need opens another one at once. */
  disconnect(): Promise<void>;
  close(): Promise<void>;
};

export const createConnection = (server: ServerDefinition, ports: ConnectionPorts): Connection => {
  /** For whom calls are made now, the newest last: a server does not say which of them a question of its belongs to. */
  const places: QuestionPlace[] = [];
  const asked = serverRequests({
    server: server.name,
    root: ports.root,
    questions: ports.questions,
    place: () => places.at(-1),
    onToolsChanged: ports.onToolsChanged,
  });
  const link = createLink({ server, ports, attach: asked.attach });
  const { ask, list } = createRequests(server.name, link, asked);

  const call: Connection['call'] = async (name, args, { signal, report, timeoutMs }) => {
    const clock = stopClock(timeoutMs, asked.isAsking);
    const place = ports.place();
    places.push(place);
    const answer = await ask(
      'tools/call',
      { name, arguments: markedArguments(args) },
      {
        signal: AbortSignal.any([signal, clock.signal]),
        timeoutMs: MCP_LIMITS.mcpLongestCallMs,
        onprogress: (progress) => {
          clock.restart();
          report(progressText(progress));
        },
      },
    );
    clock.stop();
    places.splice(places.indexOf(place), 1);
    if (!answer.ok && clock.signal.aborted && !signal.aborted) {
      const text = `The MCP server "${server.name}" did not answer within ${timeoutMs / 1000} s.`;
      return failure('io_error', text, 'timeout');
    }
    return answer.ok ? succeed(restoreDigits(answer.value)) : answer;
  };

  return {
    server,
    state: () => link.state(),
    tools: () => list('tools'),
    resources: () => list('resources'),
    prompts: () => list('prompts'),
    call,
    offersResources: () => link.capabilities().resources !== undefined,
    readResource: (uri) => ask('resources/read', { uri }),
    prompt: (name, args) => ask('prompts/get', { name, arguments: args }),
    disconnect: () => link.disconnect(),
    close: () => link.close(),
  };
};

const progressText = ({ progress, total, message }: Progress): string => {
  const part = total === undefined ? `${progress}` : `${progress}/${total}`;
  return `${message === undefined ? part : `${part} ${shownText(message, MCP_LIMITS.mcpShownCharacters)}`}\n`;
};
