/** Puts an MCP server on the person's list. It starts nothing: what would be started is shown then, with its own yes. */
import { useState } from 'react';
import { useApp } from '../app-context.tsx';
import { useWritten } from '../parts/use-written.ts';
import { visible } from '../parts/visible.ts';
import { readEntry, type Typed } from './server-entry.ts';

export const AddServer = ({ onAdded }: { onAdded(): void }) => {
  const { api } = useApp();
  // All of it may hold keys.
  const written = useWritten('MCP server', { name: '', text: '', pairs: '' }, true);
  const { name, text, pairs } = written.value;
  const set = (part: Partial<typeof written.value>): void => written.set({ ...written.value, ...part });
  const [problem, setProblem] = useState<string>();
  const add = async (): Promise<void> => {
    const read = readEntry(text, pairs);
    if (!read.ok) return setProblem(read.message);
    const left: Typed[] = [];
    const problems: string[] = [];
    for (const typed of read.value) {
      // A name that is typed is for one.
      const called = (read.value.length === 1 && name.trim()) || (typed.name ?? '');
      const answer = await api.mcpAdd(called, typed.entry);
      if (answer.ok) continue;
      left.push(typed);
      problems.push(read.value.length === 1 ? answer.message : `${visible(called)}: ${answer.message}`);
    }
    const taken = read.value.length - left.length;
    setProblem(
      problems.length === 0 ? undefined : [...(taken > 0 ? [`${taken} put on the list.`] : []), ...problems].join('\n'),
    );
    if (left.length === 0) written.forget();
    // What was not taken stays to be put right.
    else if (taken > 0)
      set({
        text: JSON.stringify(
          { mcpServers: Object.fromEntries(left.map((typed) => [typed.name ?? '', typed.entry])) },
          null,
          2,
        ),
      });
    if (taken > 0) onAdded();
  };
  const isAddress = /^\s*https?:\/\//i.test(text);
  const isJson = text.trimStart().startsWith('{');
  return (
    <details className="border-t border-line py-3 text-sm" open={written.isUnsaved || undefined}>
      <summary className="cursor-pointer">Add a server</summary>
      <form
        className="mt-2 flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <label className="flex flex-col gap-1">
          Command or address
          <textarea
            className="field mono field-sizing-content"
            rows={1}
            placeholder="npx -y @modelcontextprotocol/server-everything"
            spellCheck={false}
            value={text}
            onChange={(event) => set({ text: event.target.value })}
          />
          <span className="text-xs text-soft">
            Or the JSON that the server’s page shows for other clients, with one server or several. No shell reads the
            command.
          </span>
        </label>
        <label className="flex flex-col gap-1">
          Name
          <input
            className="field"
            placeholder={isJson ? 'as in the JSON' : 'files'}
            spellCheck={false}
            value={name}
            onChange={(event) => set({ name: event.target.value })}
          />
        </label>
        {!isJson && (
          <label className="flex flex-col gap-1">
            {isAddress ? 'Headers, one a line' : 'Variables, one a line'}
            <textarea
              className="field mono field-sizing-content"
              rows={1}
              placeholder={isAddress ? 'Authorization: Bearer …' : 'API_KEY=…'}
              autoComplete="off"
              spellCheck={false}
              value={pairs}
              onChange={(event) => set({ pairs: event.target.value })}
            />
          </label>
        )}
        {problem !== undefined && (
          <p role="alert" className="whitespace-pre-line text-bad [overflow-wrap:anywhere]">
            {problem}
          </p>
        )}
        <div>
          <button type="submit" className="button" disabled={text.trim() === '' || (name.trim() === '' && !isJson)}>
            Put on the list
          </button>
        </div>
      </form>
    </details>
  );
};
