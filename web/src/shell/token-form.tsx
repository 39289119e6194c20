/** Lets the person into the page by the token, where they are: the session in the address and what was written stay. */
import { type FormEvent, useId, useState } from 'react';
import { keepPageKey } from '../state/page-key.ts';

/** The token alone, or the whole address that was printed. */
const TOKEN = /(?:^|token=)([\w-]+)$/;

const enter = async (typed: string): Promise<string | undefined> => {
  const token = TOKEN.exec(typed.trim())?.[1];
  if (token === undefined) return 'A token has letters, digits, - and _ alone.';
  try {
    const answer = await fetch('/api/page-key', { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) return 'This is not the token that halter was started with last.';
    keepPageKey(((await answer.json()) as { key: string }).key);
    window.location.reload();
    return undefined;
  } catch {
    return 'halter does not answer.';
  }
};

export const TokenForm = () => {
  const field = useId();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    setProblem(undefined);
    void enter(typed).then(setProblem);
  };
  return (
    <form className="mt-2 flex flex-wrap items-center gap-2 text-sm" onSubmit={onSubmit}>
      <label htmlFor={field}>Token</label>
      <input
        id={field}
        type="password"
        autoComplete="off"
        className="field mono min-w-0 flex-1 basis-40"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <button type="submit" className="button-main" disabled={typed.trim() === ''}>
        Open
      </button>
      {problem !== undefined && (
        <p role="status" className="basis-full">
          {problem}
        </p>
      )}
    </form>
  );
};
