/** Gets a model that is not here yet. */
import { useApp } from '../app-context.tsx';
import { useWritten } from '../parts/use-written.ts';
import { pullName } from './model-words.ts';
import type { ModelsPanel } from './use-models-panel.ts';

export const PullForm = ({ act, gets }: Pick<ModelsPanel, 'act' | 'gets'>) => {
  const { api } = useApp();
  const { value: name, set: setName, forget } = useWritten('model to get', '');
  if (gets === undefined) return null;
  if (gets.length === 0)
    return (
      <p className="shrink-0 border-t border-line px-4 py-2 text-xs text-soft">
        halter was started for one server, which gets no models here. To get others, start it without{' '}
        <code className="mono text-xs">--base-url</code> and <code className="mono text-xs">--provider</code>.
      </p>
    );
  const [ollama, own] = [gets.includes('ollama'), gets.includes('embedded')];
  return (
    <form
      className="shrink-0 border-t border-line px-4 py-2"
      onSubmit={(event) => {
        event.preventDefault();
        void act(api.beginModelJob('pull', pullName(name))).then((ok) => ok && forget());
      }}
    >
      <div className="flex gap-2">
        <input
          className="field mono min-w-0 flex-1"
          aria-label="Model to get"
          aria-describedby="pull-hint"
          placeholder="qwen3:8b"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <button type="submit" className="button" disabled={name.trim() === ''}>
          Get
        </button>
      </div>
      <p id="pull-hint" className="mt-1 text-xs text-soft">
        {ollama && <>A name of Ollama{own ? ', or ' : '.'}</>}
        {own && (
          <>
            <code className="mono text-xs">starter</code> for halter’s own small model.
          </>
        )}
      </p>
    </form>
  );
};
