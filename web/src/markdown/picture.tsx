/** Pictures: what lies in the folder is shown; what lies elsewhere is named, and comes when the person asks for it. */
import { useEffect, useRef, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { useNear } from '../parts/use-near.ts';
import { picturePathOfAddress } from './picture-paths.ts';
import { isInlineImage, linkTarget } from './safe-url.ts';

const SHAPE = 'max-h-96 max-w-full rounded border border-line';

/** As long as the part that shows it is there. */
const useObjectUrl = (blob: Blob | undefined): string | undefined => {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (blob === undefined) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
};

/** Handed out by halter, which looks at what it is. Fetched when it is close to the view. */
export const FolderPicture = ({ path, alt = path }: { path: string; alt?: string }) => {
  const { api } = useApp();
  const place = useRef<HTMLSpanElement>(null);
  const isNear = useNear(place);
  const [picture, setPicture] = useState<Blob | 'missing'>();
  const url = useObjectUrl(picture === 'missing' ? undefined : picture);
  useEffect(() => {
    if (!isNear || picture !== undefined) return;
    let over = false;
    void api.picture({ path }).then((answer) => {
      if (!over) setPicture(answer.ok ? answer.value : 'missing');
    });
    return () => {
      over = true;
    };
  }, [api, path, isNear, picture]);
  if (picture === 'missing') {
    return (
      <span className="my-1 inline-block rounded border border-line bg-sunken px-2 py-1 text-sm text-soft">
        No picture to show at <span className="mono">{path}</span>
      </span>
    );
  }
  if (url === undefined) return <span ref={place} role="img" aria-label={alt} className="inline-block size-6" />;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" title={`${path}, in a tab of its own`}>
      <img src={url} alt={alt} className={SHAPE} onError={() => setPicture('missing')} />
    </a>
  );
};

/** Nothing leaves this machine before the person says so, and then halter asks, not the browser. */
const FarPicture = ({ src, alt }: { src: string; alt: string }) => {
  const { api } = useApp();
  const [shown, setShown] = useState<{ state: 'named' | 'coming' } | { state: 'here'; url: string }>({
    state: 'named',
  });
  const [problem, setProblem] = useState('');
  useEffect(() => {
    if (shown.state !== 'here') return;
    return () => URL.revokeObjectURL(shown.url);
  }, [shown]);
  const target = linkTarget(src);
  if (shown.state === 'here') return <img src={shown.url} alt={alt} title={src} className={SHAPE} />;
  const load = async (url: string): Promise<void> => {
    setShown({ state: 'coming' });
    const answer = await api.picture({ url });
    setProblem(answer.ok ? '' : answer.message);
    setShown(answer.ok ? { state: 'here', url: URL.createObjectURL(answer.value) } : { state: 'named' });
  };
  return (
    <span
      className="my-1 inline-flex max-w-full flex-wrap items-baseline gap-x-2 gap-y-1 rounded border border-line bg-sunken px-2 py-1 text-sm"
      data-blocked-image={src}
    >
      <span className="text-soft">Picture from elsewhere{alt ? ` (${alt})` : ''}:</span>
      <span className="mono min-w-0">{src}</span>
      {target?.startsWith('http') && (
        <span className="inline-flex gap-2">
          <button
            type="button"
            className="rounded text-blue underline underline-offset-2 disabled:opacity-60"
            disabled={shown.state === 'coming'}
            title={`halter fetches it from ${new URL(target).host}`}
            onClick={() => void load(target)}
          >
            {shown.state === 'coming' ? 'Loading…' : 'Load it'}
          </button>
          <a href={target} rel="noopener noreferrer" target="_blank">
            Open in a new tab
          </a>
        </span>
      )}
      {problem !== '' && (
        <span role="alert" className="basis-full text-bad">
          {problem}
        </span>
      )}
    </span>
  );
};

export const Picture = ({ src = '', alt = '' }: { src?: string | undefined; alt?: string | undefined }) => {
  if (isInlineImage(src)) return <img src={src} alt={alt} className={SHAPE} />;
  const path = picturePathOfAddress(src);
  return path === undefined ? <FarPicture src={src} alt={alt} /> : <FolderPicture path={path} alt={alt || path} />;
};
