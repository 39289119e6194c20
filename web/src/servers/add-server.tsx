/** Puts an MCP server on the person's list. It starts nothing: what would be started is shown then, with its own yes. */
import { useState } from 'react';
import { useApp } from '../app-context.tsx';
import { useWritten } from '../parts/use-written.ts';
import { readEntry } from './server-entry.ts';

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
    const answer = await api.mcpAdd(name.trim() || (read.value.name ?? ''), read.value.entry);
    setProblem(answer.ok ? undefined : answer.message);
    if (!answer.ok) return;
    written.forget();
    onAdded();
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
            Or the JSON that the server’s page shows for other clients. No shell reads the command.
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
          <p role="alert" className="text-bad [overflow-wrap:anywhere]">
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
