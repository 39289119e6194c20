/** Says calmly that halter is not at the other end, who is, and what becomes of what is on the page. */
import type { ReactNode } from 'react';
import { useApp, useSnapshot } from '../app-context.tsx';
import type { LinkState } from '../state/link.ts';

type Words = { title: string; text: ReactNode };

const KEPT = 'What you write here is kept, and the page goes on by itself when halter is back.';

const wordsOf = (link: Exclude<LinkState, 'here'>, workspace: string | undefined): Words => {
  const { host } = window.location;
  switch (link) {
    case 'lost':
      return { title: 'halter does not answer.', text: `Trying again. ${KEPT}` };
    case 'foreign':
      return {
        title: `Something else answers at ${host} now.`,
        text: `It is not halter. ${KEPT}`,
      };
    case 'other':
      return {
        title: `Another halter answers at ${host} now.`,
        text: (
          <>
            It is of another folder, or somebody else’s. To go on here, end it and start{' '}
            <code className="mono">halter serve</code>
            {workspace && <> in {workspace}</>} again. What you write here is kept.
          </>
        ),
      };
    case 'restarted':
      return {
        title: 'halter was restarted.',
        text: 'Open the address that it printed, or load this page again and paste the token out of it. With --token-file or HALTER_TOKEN it is the same after a restart. What you write here is kept in this tab.',
      };
  }
};

export const ConnectionNotice = () => {
  const { link, status, lookAgain } = useApp();
  const { connection, view } = useSnapshot();
  if (link === 'here' && connection !== 'gone') return null;
  const { title, text }: Words =
    link === 'here'
      ? view.log.length > 0
        ? { title: 'This session is gone.', text: 'It was deleted. What you write here can go into a new session.' }
        : {
            title: 'There is no such session.',
            text: 'It was deleted, or the address is not whole. Choose another one, or begin a new one.',
          }
      : wordsOf(link, view.workspace || status?.workspace);
  return (
    <div
      role="status"
      data-link={link}
      className="mx-auto my-1 flex w-[calc(100%-2rem)] max-w-[46rem] animate-open items-start gap-2 rounded border border-line bg-raised px-3 py-2 text-sm max-sm:w-[calc(100%-1rem)] max-sm:flex-wrap"
    >
      <span aria-hidden="true" className="text-soft">
        ○
      </span>
      <p className="min-w-0 flex-1 [overflow-wrap:anywhere] max-sm:basis-60">
        <strong className="font-semibold">{title}</strong> <span className="text-soft">{text}</span>
      </p>
      {link === 'here' && (
        <a className="quiet-button ml-auto shrink-0" href="#/">
          New session
        </a>
      )}
      {link !== 'here' && link !== 'restarted' && (
        <button type="button" className="quiet-button ml-auto shrink-0 text-xs" onClick={lookAgain}>
          Try now
        </button>
      )}
    </div>
  );
};
