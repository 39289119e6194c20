/** How far an import is, at the foot of the list, and what came of it. */
import { useApp } from '../app-context.tsx';
import { readable } from '../parts/visible.ts';

export const ImportBar = () => {
  const { importing, stopImport, forgetImport } = useApp().imports;
  if (importing === undefined) return null;
  if (importing.state === 'running') {
    const { done, of } = importing;
    return (
      <div className="border-t border-line px-3 py-2 text-sm" data-import="running">
        <p>
          Importing {done + 1} of {of}
        </p>
        <progress className="progress" max={of} value={done} aria-label="Sessions imported" />
        <button type="button" className="button" onClick={stopImport}>
          Stop
        </button>
      </div>
    );
  }
  return (
    <div className="max-h-[40%] overflow-y-auto border-t border-line px-3 py-2 text-sm" data-import="over">
      <p role="status" className="[overflow-wrap:anywhere]">
        {importing.words}
      </p>
      {importing.problems.length > 0 && (
        <ul className="mt-1 text-xs text-bad [overflow-wrap:anywhere]" aria-label="Files that were not taken">
          {importing.problems.map((problem) => (
            <li key={problem}>{readable(problem)}</li>
          ))}
        </ul>
      )}
      <button type="button" className="button mt-1.5" onClick={forgetImport}>
        Close
      </button>
    </div>
  );
};
