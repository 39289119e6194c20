/** The address for a phone or another machine, as a code. It holds the token, so it is shown when it is asked for. */
import { useEffect, useRef, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icons.tsx';
import { useModal } from '../parts/use-modal.ts';
import type { Invitation } from '../state/api.ts';

const EDGE = 4;

const Code = ({ squares }: { squares: readonly (readonly boolean[])[] }) => {
  const size = squares.length + 2 * EDGE;
  const path = squares
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + EDGE} ${y + EDGE}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="The address as a QR code"
      className="mx-auto w-64 max-w-full"
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
};

export const InvitationDialog = ({ onClose }: { onClose(): void }) => {
  const { api } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const [answer, setAnswer] = useState<Invitation | string>();
  useModal(dialog);
  useEffect(() => {
    void api.invitation().then((got) => setAnswer(got.ok ? got.value : got.message));
  }, [api]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it with Escape.
    <dialog
      ref={dialog}
      aria-label="Open on another device"
      className="m-auto w-[24rem] max-w-[calc(100vw-1rem)] rounded border border-line bg-raised p-4 text-ink shadow-float backdrop:bg-black/30"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className="mb-2 flex items-center gap-2">
        <h2 className="min-w-0 flex-1 font-semibold">Open on another device</h2>
        <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {typeof answer === 'string' && <p className="text-sm">{answer}</p>}
      {typeof answer === 'object' && (
        <>
          <Code squares={answer.squares} />
          <p className="mono mono-wrap mt-2 text-xs">
            {answer.url} <CopyButton text={() => answer.url} label="Copy address" />
          </p>
          <p className="mt-2 text-xs text-soft">
            Whoever has this address can do all that you can here. Show it to your own devices.
          </p>
        </>
      )}
    </dialog>
  );
};
