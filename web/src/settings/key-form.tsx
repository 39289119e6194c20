/** The key of the model server. It goes in; where it comes from is shown, and never what it is. */
import { useEffect, useId, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { useWritten } from '../parts/use-written.ts';
import type { Answer, ToldModelKey } from '../state/api.ts';

const fromWords = ({ from, name = '', server, ...told }: ToldModelKey): string => {
  switch (from) {
    case 'none':
      return server === undefined
        ? 'No key is kept. halter goes by no model server now, so there is none that a key could be for.'
        : 'No key is kept. Servers on this machine need none.';
    case 'here':
      return told.for === undefined
        ? 'A key is kept, but not for which server it is, so it is not sent. Keep it again.'
        : `A key for ${told.for} is kept, in a file that only you can read. It is not shown.`;
    case 'file':
      return `The key is read from ${name}, which config.json names.`;
    case 'variable':
      return `The key is read from the variable ${name} of the environment.`;
    case 'command':
      return 'The key is printed by api_key_command of config.json.';
  }
};

export const KeyForm = () => {
  const { api } = useApp();
  const hint = useId();
  const [told, setTold] = useState<ToldModelKey>();
  const { value: key, set: setKey, forget } = useWritten('key of the model server', '', true);
  const [problem, setProblem] = useState<string>();
  const [note, setNote] = useState('');
  useEffect(() => {
    void api.modelKey().then((answer) => {
      if (answer.ok) setTold(answer.value);
      else setProblem(answer.message);
    });
  }, [api]);
  const act = async (work: Promise<Answer<ToldModelKey>>, said: string): Promise<void> => {
    const answer = await work;
    setProblem(answer.ok ? undefined : answer.message);
    setNote(answer.ok ? said : '');
    if (!answer.ok) return;
    setTold(answer.value);
    forget();
  };
  return (
    <form
      className="flex flex-col gap-3 text-sm"
      onSubmit={(event) => {
        event.preventDefault();
        void act(api.keepModelKey(key), 'Kept. It counts from the next start of halter on.');
      }}
    >
      <h3 className="font-medium">Key of the model server</h3>
      {told !== undefined && <p className="text-soft [overflow-wrap:anywhere]">{fromWords(told)}</p>}
      {told?.is_settable && (
        <label className="flex flex-col gap-1">
          {told.from === 'here' ? 'Another key in its place' : 'Key'}
          <input
            type="password"
            className="field mono"
            aria-describedby={hint}
            autoComplete="off"
            spellCheck={false}
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
      )}
      {told?.is_settable && (
        <p id={hint} className="-mt-2 text-xs text-soft [overflow-wrap:anywhere]">
          It is sent to {told.server}, and to no other server.
        </p>
      )}
      {problem !== undefined && (
        <p role="alert" className="text-bad [overflow-wrap:anywhere]">
          {problem}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {told?.is_settable && (
          <button type="submit" className="button-main" disabled={key.trim() === ''}>
            Keep
          </button>
        )}
        {told?.from === 'here' && (
          <button
            type="button"
            className="button text-bad"
            onClick={() => void act(api.removeModelKey(), 'Removed. It counts until halter ends.')}
          >
            Remove
          </button>
        )}
        <span role="status" className="text-soft">
          {note}
        </span>
      </div>
      <p className="text-xs text-soft">Keys of MCP servers stand with the server, in its variables or headers.</p>
    </form>
  );
};
