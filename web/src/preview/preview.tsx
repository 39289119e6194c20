/** A drawing of the markup of a code block. It can neither run nor load anything, and knows nothing of the page. */
import { useEffect, useMemo, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { MermaidPreview } from './mermaid-preview.tsx';
import { safeMarkup } from './safe-markup.ts';

const HTML = /^(?:html?|xhtml)$/i;
const MERMAID = /^mermaid$/i;
const SVG = /^(?:svg|xml)$/i;

type PreviewKind = 'html' | 'svg' | 'mermaid';

/** How code of this language can be drawn; undefined where it cannot. */
export const previewKind = (language: string, lines: readonly string[]): PreviewKind | undefined => {
  if (HTML.test(language)) return 'html';
  if (MERMAID.test(language)) return 'mermaid';
  const isSvg = SVG.test(language) && lines.slice(0, 20).some((line) => /<svg[\s>]/i.test(line));
  return isSvg ? 'svg' : undefined;
};

export const Preview = ({ kind, code }: { kind: PreviewKind; code: string }) => {
  if (kind === 'mermaid') return <MermaidPreview code={code} />;
  return kind === 'svg' ? <SvgPreview code={code} /> : <HtmlPreview code={code} />;
};

/** As a picture an SVG runs no script and loads nothing, in every browser. */
const SvgPreview = ({ code }: { code: string }) => {
  const [address, setAddress] = useState<string>();
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([withNamespace(code)], { type: 'image/svg+xml' }));
    setAddress(made);
    setBroken(false);
    return () => URL.revokeObjectURL(made);
  }, [code]);
  return (
    <div className="border-t border-line bg-white p-3">
      {isBroken ? (
        <p role="status" className="text-sm text-[#1b1b1f]">
          This is no SVG that can be drawn.
        </p>
      ) : (
        address && (
          <img
            src={address}
            alt="Preview of the SVG"
            className="mx-auto max-h-[60vh] max-w-full"
            onError={() => setBroken(true)}
          />
        )
      )}
    </div>
  );
};

/** Within a page it may be left out, in a picture it may not. */
const withNamespace = (code: string): string =>
  /<svg[^>]*\sxmlns=/i.test(code) ? code : code.replace(/<svg/i, '<svg xmlns="http://www.w3.org/2000/svg"');

const HtmlPreview = ({ code }: { code: string }) => {
  const { api } = useApp();
  const { html, hadScripts } = useMemo(() => safeMarkup(code), [code]);
  const [shown, setShown] = useState<{ path?: string; problem?: string }>({});
  useEffect(() => {
    let isOver = false;
    void api.preview(html).then((answer) => {
      if (!isOver) setShown(answer.ok ? { path: answer.value.path } : { problem: answer.message });
    });
    return () => {
      isOver = true;
    };
  }, [api, html]);
  return (
    <div className="border-t border-line">
      {shown.problem !== undefined && (
        <p role="alert" className="px-3 py-2 text-sm">
          {shown.problem}
        </p>
      )}
      <div className="h-80 resize-y overflow-hidden bg-white">
        {shown.path !== undefined && (
          <iframe
            title="Preview of the page"
            sandbox=""
            referrerPolicy="no-referrer"
            src={shown.path}
            className="size-full [color-scheme:light]"
          />
        )}
      </div>
      <p className="border-t border-line px-3 py-1 text-xs text-soft">
        {hadScripts ? 'Scripts do not run here, and nothing' : 'Nothing'} is loaded from elsewhere. Download the file to
        open it in full.
      </p>
    </div>
  );
};
