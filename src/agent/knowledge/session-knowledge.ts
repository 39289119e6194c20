/** The index as one conversation's tools see it: its own documents, and nothing that a rule keeps from them. */

import type { Event, Progress } from '../../core/events.ts';
import { messageText } from '../../core/message.ts';
import { failure, succeed } from '../../core/outcome.ts';
import { judgeCall, type PolicyRules, type PolicyTool } from '../../core/policy.ts';
import type { Workspace } from '../../core/ports.ts';
import type { Retrieval } from '../../core/retrieval-port.ts';
import type { ToolContext } from '../../core/tool.ts';
import { SEARCH_LIMITS } from '../../search/limits.ts';
import type { ToolPorts } from '../loop/run-tool/tool-ports.ts';
import { filePlaces } from '../permissions/file-places.ts';
import { withRoom } from './room-for-files.ts';

const FILE_TOOLS: ReadonlySet<string> = new Set([
  'read_file',
  'write_file',
  'edit_file',
  'replace_lines',
  'insert_lines',
]);
const NAMED = /(?:^|\s)@([^\s@]+)/g;

/** The files that a conversation read, wrote or was given, the latest first. */
export const documentsOf = (events: readonly Event[], resolve: Workspace['resolve']): string[] => {
  const calls = new Map<string, string>();
  const found = new Set<string>();
  const add = (path: string): void => {
    const place = resolve(path);
    if (place.ok) found.add(place.value);
  };
  for (const event of events) {
    if (event.type === 'assistant_message_added') {
      for (const { id, name, arguments: args } of event.message.tool_calls) {
        if (FILE_TOOLS.has(name) && typeof args['path'] === 'string') calls.set(id, args['path']);
      }
    } else if (event.type === 'tool_finished' && event.result.success) {
      const path = calls.get(event.tool_call_id);
      if (path !== undefined) add(path);
    } else if (event.type === 'user_message_added') {
      for (const [, path = ''] of messageText(event.content).matchAll(NAMED)) add(path.replace(/[.,;:!?)]+$/, ''));
    }
  }
  return [...found].reverse().slice(0, SEARCH_LIMITS.sessionDocuments);
};

const READ_FILE: PolicyTool = { name: 'read_file', risk: 'medium', effects: 'read', main_argument: 'path' };

/** What may not be read by a rule is not shown by a search either. */
export const withoutDenied = (retrieval: Retrieval, rules: () => PolicyRules, root: string): Retrieval => {
  /** For the rows of one answer: a link that many of them stand behind is read once. */
  const judge = (): ((path: string | undefined) => boolean) => {
    const { deny } = rules();
    const only = { allow: [], deny, mode: 'ask' as const };
    const places = filePlaces(root);
    return (path) =>
      path !== undefined && deny.length > 0 && judgeCall(only, READ_FILE, { path }, { places }).verdict === 'deny';
  };
  return {
    ...retrieval,
    async search(query, options) {
      if (rules().deny.length === 0) return retrieval.search(query, options);
      const found = await retrieval.search(query, { ...options, limit: SEARCH_LIMITS.searchLimitMax });
      if (!found.ok) return found;
      const isDenied = judge();
      return succeed(found.value.filter(({ path }) => !isDenied(path)).slice(0, options.limit));
    },
    graph: {
      async ask(question) {
        if (judge()(question.path)) return failure('permission_denied', `${question.path} may not be read.`);
        const asked = await retrieval.graph.ask(question);
        if (!asked.ok) return asked;
        const isDenied = judge();
        return succeed({ ...asked.value, rows: asked.value.rows.filter(({ path }) => !isDenied(path)) });
      },
    },
  };
};

/** What a tool call is told of the workspace's files: the index, where it is in use, and who chooses lines. */
export const knowledgeFor = (
  ports: Pick<ToolPorts, 'retrieval' | 'curatorFor' | 'rules' | 'workspace'>,
  /** Absent: nobody converses, so nothing says which lines of a file matter. */
  session?: {
    /** The same for all calls of a conversation. */
    of: object;
    events(): readonly Event[];
    tell(update: Progress): void;
    resultCharacters?(): number | undefined;
    freeCharacters?(): number | undefined;
  },
): Pick<ToolContext, 'retrieval' | 'curator'> => {
  const { retrieval, curatorFor, rules, workspace } = ports;
  const spokenOf = (): string[] => documentsOf(session?.events() ?? [], workspace.resolve);
  const allowed = retrieval && withoutDenied(retrieval, rules, workspace.root);
  return {
    ...(allowed
      ? {
          retrieval: {
            ...allowed,
            search: (query, options) => allowed.search(query, { recent: spokenOf(), ...options }),
            documents: () => [...(retrieval.documents?.() ?? []), ...spokenOf()],
          },
        }
      : {}),
    ...(curatorFor && session
      ? {
          curator: withRoom(
            curatorFor(
              () => messagesOf(session.events()),
              session.tell,
              () => roomOf(session),
            ),
            {
              of: session.of,
              events: session.events,
              resolve: workspace.resolve,
              freeCharacters: () => session.freeCharacters?.(),
            },
          ),
        }
      : {}),
  };
};

/** What one result may have of the window, and of what is free of it now. */
const roomOf = (session: {
  resultCharacters?(): number | undefined;
  freeCharacters?(): number | undefined;
}): number | undefined => {
  const [most, free] = [session.resultCharacters?.(), session.freeCharacters?.()];
  if (most === undefined || free === undefined) return most;
  return Math.max(FILE_CHARACTERS_MIN, Math.min(most, free / 2));
};
/** However full the window is, so much of a file is shown. */
const FILE_CHARACTERS_MIN = 1_000;

const messagesOf = (events: readonly Event[]): string[] =>
  events.flatMap((event) => (event.type === 'user_message_added' ? [messageText(event.content)] : []));
