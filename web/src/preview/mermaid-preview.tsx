/** A diagram, drawn in a frame without origin and network. The library comes with the first one. */
import { useEffect, useRef, useState } from 'react';

const PLACE = '/mermaid.html';
const FIRST_PIXELS = 120;
const MOST_PIXELS = 1_200;
/** A drawing that takes longer is no use, and may never end. */
const PATIENCE_MS = 20_000;
const PROBLEM_CHARACTERS = 300;

type Told = { ready?: unknown; height?: unknown; problem?: unknown };
type State = { height?: number; problem?: string };

const isDark = (): boolean => {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? window.matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
};

export const MermaidPreview = ({ code }: { code: string }) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const [{ height, problem }, setState] = useState<State>({});
  useEffect(() => {
    setState({});
    const timer = setTimeout(() => setState({ problem: 'It took too long.' }), PATIENCE_MS);
    const hear = ({ source, data }: MessageEvent<Told | null>): void => {
      const target = frame.current?.contentWindow;
      if (target === undefined || target === null || source !== target || typeof data !== 'object' || data === null)
        return;
      // The frame has no origin that could be named.
      if (data.ready === true) target.postMessage({ text: code, dark: isDark() }, '*');
      if (typeof data.height === 'number') setState({ height: Math.min(MOST_PIXELS, Math.max(1, data.height)) });
      if (typeof data.problem === 'string') setState({ problem: data.problem.slice(0, PROBLEM_CHARACTERS) });
      if (data.height !== undefined || data.problem !== undefined) clearTimeout(timer);
    };
    window.addEventListener('message', hear);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('message', hear);
    };
  }, [code]);
  if (problem !== undefined) {
    return (
      <p role="status" className="border-t border-line px-3 py-2 text-sm [overflow-wrap:anywhere]">
        This diagram cannot be drawn: {problem}
      </p>
    );
  }
  return (
    <div className="border-t border-line bg-paper p-3">
      {height === undefined && (
        <p role="status" className="flex items-center gap-2 text-sm text-soft">
          <span className="spinner" aria-hidden="true" /> Drawing the diagram
        </p>
      )}
      <iframe
        ref={frame}
        key={code}
        title="The diagram"
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        src={PLACE}
        className="w-full"
        style={{ height: height ?? FIRST_PIXELS }}
      />
    </div>
  );
};
