/** A link by which others read this session and nothing else. There is none until it is made here. */
import { useEffect, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { PanelDialog } from '../parts/panel-dialog.tsx';

type Props = { id: string; title: string; onClose(): void };

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

export const ShareDialog = ({ id, title, onClose }: Props) => {
  const { api } = useApp();
  const [isShared, setShared] = useState<boolean>();
  const [link, setLink] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [origin, setOrigin] = useState(window.location.origin);
  useEffect(() => {
    void api.shared(id).then((answer) => {
      if (answer.ok) setShared(answer.value.shared);
      else setProblem(answer.message);
    });
    // An address of this machine alone leads nobody else here.
    if (LOOPBACK.test(window.location.hostname))
      void api.invitation().then((answer) => {
        if (answer.ok) setOrigin(new URL(answer.value.url).origin);
      });
  }, [api, id]);
  const make = async (): Promise<void> => {
    const answer = await api.share(id);
    setProblem(answer.ok ? undefined : answer.message);
    if (!answer.ok) return;
    setShared(true);
    setLink(`${origin}/#/shared/${answer.value.token}`);
  };
  const end = async (): Promise<void> => {
    const answer = await api.endShare(id);
    setProblem(answer.ok ? undefined : answer.message);
    if (!answer.ok) return;
    setShared(false);
    setLink(undefined);
  };
  const isLocal = LOOPBACK.test(new URL(origin).hostname);
  return (
    <PanelDialog title="Share for reading" onClose={onClose}>
      <div className="flex flex-col gap-3 px-4 py-3 text-sm">
        <p className="[overflow-wrap:anywhere]">
          Whoever has the link reads “{title || 'this session'}”, with everything in it and as it goes on: messages,
          calls, what files held. They cannot write, answer or open anything else. It ends when you end it, or with
          halter.
        </p>
        {isLocal && (
          <p className="text-warn">
            Only this machine reaches this server: <code className="mono">halter serve --host</code> lets others in.
          </p>
        )}
        {problem !== undefined && (
          <p role="alert" className="text-bad [overflow-wrap:anywhere]">
            {problem}
          </p>
        )}
        {link !== undefined && (
          <p className="mono mono-wrap rounded bg-sunken px-2 py-1 text-xs" data-share-link>
            {link} <CopyButton text={() => link} label="Copy link" />
          </p>
        )}
        {isShared && link === undefined && (
          <p>It is shared. The link was shown when it was made; a new one ends the one before.</p>
        )}
        <div className="flex flex-wrap gap-2">
          <button type="button" className="button" disabled={isShared === undefined} onClick={() => void make()}>
            {isShared ? 'Make another link' : 'Make a link'}
          </button>
          {isShared && (
            <button type="button" className="button text-bad" onClick={() => void end()}>
              End sharing
            </button>
          )}
        </div>
      </div>
    </PanelDialog>
  );
};
