/** The address for a phone or another machine, as a code. It holds the token, so it is shown when it is asked for. */
import { useEffect, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { PanelDialog } from '../parts/panel-dialog.tsx';
import { WithCode } from '../parts/with-code.tsx';
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
  const [answer, setAnswer] = useState<Invitation | string>();
  useEffect(() => {
    void api.invitation().then((got) => setAnswer(got.ok ? got.value : got.message));
  }, [api]);
  return (
    <PanelDialog title="Open on another device" onClose={onClose}>
      <div className="px-4 py-3 text-sm">
        {typeof answer === 'string' && (
          <p>
            <WithCode text={answer} />
          </p>
        )}
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
      </div>
    </PanelDialog>
  );
};
