import { useApp, useSnapshot } from '../app-context.tsx';
import { Icon } from '../parts/icons.tsx';
import type { Status } from '../state/api.ts';
import { bareModel, modelState, NAMELESS } from '../state/model-name.ts';

type Props = {
  /** What a session that begins now will have. */
  chosen: string | undefined;
  onOpen(): void;
};

const nameless = (status: Status | undefined): string => NAMELESS[status?.model.state ?? 'failed'];

export const ModelPicker = ({ chosen, onOpen }: Props) => {
  const app = useApp();
  const { status } = app;
  const { view } = useSnapshot();
  const current = useCurrentModel(chosen);
  const stands = modelState(current, app).state;
  const state = current === '' ? 'none' : view.activity.type === 'loading' ? 'loading' : stands;
  const label = current === '' ? `Choose a model: ${nameless(status).toLowerCase()}` : `Model ${current}, ${state}`;
  return (
    <div className="min-w-0">
      <button
        type="button"
        className="quiet-button h-8 w-full max-w-56"
        aria-haspopup="dialog"
        aria-label={label}
        title={label}
        onClick={onOpen}
      >
        <span
          aria-hidden="true"
          className={`size-2 shrink-0 rounded-full ${state === 'ready' ? 'bg-good' : state === 'not there' ? 'bg-bad' : 'border border-edge'}`}
        />
        <span className="truncate">{current === '' ? nameless(status) : bareModel(current)}</span>
        {state !== 'ready' && state !== 'none' && <span className="shrink-0">{state}</span>}
        <span className="shrink-0">
          <Icon name="down" size={12} />
        </span>
      </button>
    </div>
  );
};

/** The model of the session that is shown, or the one that the next session begins with. */
export const useCurrentModel = (chosen: string | undefined): string => {
  const { status, sessionId } = useApp();
  const { view } = useSnapshot();
  return (sessionId === undefined ? (chosen ?? status?.new_sessions.model) : view.model) || status?.model.id || '';
};
