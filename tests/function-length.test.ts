/** A function fits a screen. Those that did not when the rule came are listed, and the list only gets shorter. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { longFunctions } from './functions.ts';
import { isTest, listFiles, ROOT } from './source-files.ts';

const MAX_LINES = 60;

/** File → how many of its functions have `MAX_LINES` lines or more. Take a file out once none is left. */
const KNOWN: Readonly<Record<string, number>> = {
  'src/acp/agent.ts': 1,
  'src/agent/create-agent.ts': 1,
  'src/agent/loop/call-model/conversation-model.ts': 1,
  'src/agent/loop/call-model/prefill.ts': 1,
  'src/agent/loop/run-tool/execute-tool.ts': 2,
  'src/agent/mcp/serve-renewed.ts': 1,
  'src/agent/mcp/server-questions.ts': 1,
  'src/agent/models/model-admin.ts': 1,
  'src/agent/models/own-provider.ts': 1,
  'src/agent/models/probe/ask.ts': 2,
  'src/agent/permissions/shell-rules/denial.ts': 1,
  'src/agent/session/open-conversation.ts': 1,
  'src/agent/session/open-session.ts': 1,
  'src/agent/telemetry/agent-metrics.ts': 1,
  'src/agent/telemetry/tracing.ts': 1,
  'src/cli/commands/serve.ts': 1,
  'src/cli/commands/terminal.ts': 1,
  'src/cli/run/run-recorder.ts': 1,
  'src/core/step.ts': 1,
  'src/core/window.ts': 1,
  'src/dialects/answer/reading.ts': 1,
  'src/dialects/engine/answer.ts': 1,
  'src/dialects/engine/answer/quotations.ts': 1,
  'src/dialects/engine/call-object.ts': 1,
  'src/dialects/engine/call-writer.ts': 1,
  'src/dialects/engine/core.ts': 1,
  'src/dialects/engine/output.ts': 1,
  'src/dialects/engine/plan.ts': 1,
  'src/dialects/engine/section.ts': 1,
  'src/dialects/thoughts-first.ts': 1,
  'src/gateway/complete.ts': 1,
  'src/harness/chat-events.ts': 1,
  'src/io/network.ts': 1,
  'src/io/workspace.ts': 1,
  'src/mcp/connection/requests.ts': 1,
  'src/mcp/transport/process-transport.ts': 1,
  'src/providers/embedded/keep-states.ts': 1,
  'src/providers/embedded/model-store.ts': 1,
  'src/providers/led/grammar/pattern.ts': 1,
  'src/providers/led/request-facts/copy-grammar.ts': 1,
  'src/providers/ollama/ollama.ts': 1,
  'src/providers/pool/places.ts': 1,
  'src/sandbox/bubblewrap.ts': 1,
  'src/sandbox/confine.ts': 1,
  'src/sandbox/git-unit.ts': 1,
  'src/sandbox/layering.ts': 1,
  'src/sandbox/linked-judge.ts': 1,
  'src/search/chunks.ts': 1,
  'src/search/search.ts': 1,
  'src/search/syntax/patterns.ts': 1,
  'src/search/syntax/tree-memory.ts': 2,
  'src/search/word-vectors.ts': 1,
  'src/server/gateway/answer.ts': 2,
  'src/server/gateway/side-turns.ts': 1,
  'src/server/guard.ts': 1,
  'src/server/in-flight.ts': 1,
  'src/server/listen.ts': 1,
  'src/server/mcp-logins.ts': 1,
  'src/server/sse.ts': 1,
  'src/storage/config-file.ts': 1,
  'src/storage/policies-file.ts': 1,
  'src/storage/postgres.ts': 1,
  'src/storage/postgres/database.ts': 1,
  'src/storage/postgres/indexes/tables/files.ts': 1,
  'src/storage/postgres/indexes/tables/parts.ts': 1,
  'src/storage/postgres/indexes/tables/symbols.ts': 1,
  'src/storage/postgres/indexes/vectors.ts': 1,
  'src/storage/postgres/job-records.ts': 1,
  'src/storage/postgres/places-tables.ts': 1,
  'src/storage/trust-file.ts': 1,
  'src/terminal/app/activity.ts': 1,
  'src/terminal/app/completion.ts': 1,
  'src/terminal/app/parts.ts': 1,
  'src/terminal/run-terminal.ts': 1,
  'src/terminal/text.ts': 1,
  'src/testing/scripted-server.ts': 1,
  'src/testing/test-agent.ts': 1,
  'src/tools/grep-output.ts': 1,
  'web/src/app.tsx': 3,
  'web/src/calls/call-card.tsx': 1,
  'web/src/composer/composer/message-field.tsx': 1,
  'web/src/composer/queue.tsx': 1,
  'web/src/conversation/conversation.tsx': 1,
  'web/src/conversation/user-message.tsx': 1,
  'web/src/decision/form-view.tsx': 1,
  'web/src/models/models-dialog.tsx': 1,
  'web/src/parts/menu.tsx': 1,
  'web/src/review/file-section.tsx': 1,
  'web/src/servers/add-server.tsx': 1,
  'web/src/servers/servers-dialog.tsx': 2,
  'web/src/sessions/selection-bar.tsx': 1,
  'web/src/sessions/session-entry.tsx': 1,
  'web/src/settings/browser-form.tsx': 1,
  'web/src/settings/key-form.tsx': 1,
  'web/src/settings/session-form.tsx': 1,
  'web/src/settings/settings-dialog.tsx': 1,
  'web/src/settings/tool-list.tsx': 1,
  'web/src/share/share-dialog.tsx': 1,
  'web/src/shell/empty-state.tsx': 1,
  'web/src/shell/session-search.tsx': 1,
  'web/src/shell/sidebar.tsx': 1,
  'web/src/shell/use-new-session.ts': 1,
  'web/src/shell/use-sending.ts': 1,
  'web/src/state/event-stream.ts': 2,
  'web/src/state/session-store.ts': 1,
};

const found = [...listFiles('src'), ...listFiles('web/src')]
  .filter((path) => !isTest(path))
  .map((path) => ({ path, long: longFunctions(path, readFileSync(join(ROOT, path), 'utf8'), MAX_LINES) }));

describe('the length of functions', () => {
  it('counts functions of every form, each once, and nothing shorter', () => {
    const body = (lines: number): string => `{\n${'  work();\n'.repeat(lines - 2)}}`;
    const text = [
      `function declared() ${body(4)}`,
      `const arrow = () => ${body(4)};`,
      `class Holder { method() ${body(4)} }`,
      `const holder = { inner() ${body(4)}, short() ${body(3)} };`,
      `new Promise((resolve) => ${body(4)});`,
    ].join('\n');
    expect(longFunctions('a.ts', text, 4).map(({ name, lines }) => `${name} ${lines}`)).toEqual([
      'declared 4',
      'arrow 4',
      'method 4',
      'inner 4',
      'Promise(…) 4',
    ]);
  });

  it(`has no new function of ${MAX_LINES} lines and more`, () => {
    const grown = found
      .filter(({ path, long }) => long.length > (KNOWN[path] ?? 0))
      .map(
        ({ path, long }) =>
          `${path}: ${long.map(({ name, line, lines }) => `${name} (line ${line}) has ${lines} lines`).join(', ')}; ` +
          `${KNOWN[path] ?? 0} may`,
      );
    const advice =
      `A function stays below ${MAX_LINES} lines: split it into parts that each mean one thing (a class with small ` +
      'methods, or functions of a module).';
    expect(grown, advice).toEqual([]);
  });

  it('lists no file that has become better since', () => {
    const better = Object.entries(KNOWN).flatMap(([path, count]) => {
      const now = found.find((file) => file.path === path)?.long.length ?? 0;
      if (now >= count) return [];
      return [
        `${path} has ${now} long functions and not ${count}: write so in KNOWN${now === 0 ? ' (take the line out)' : ''}`,
      ];
    });
    expect(better).toEqual([]);
  });
});
