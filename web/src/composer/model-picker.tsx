import { useApp, useSnapshot } from '../app-context.tsx';
import { bytes, tokens } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/menu.tsx';
import type { ModelRow, Status } from '../state/api.ts';
import { bareModel, sameModel } from '../state/model-name.ts';

const describe = (model: ModelRow): string =>
  [
    model.size_bytes === undefined ? '' : bytes(model.size_bytes),
    model.context_length === undefined ? '' : `${tokens(model.context_length)} window`,
    model.vision ? 'sees images' : '',
  ]
    .filter((word) => word !== '')
    .join(' · ');

type Props = {
  /** What a session that begins now will have. */
  chosen: string | undefined;
  onChoose(model: string): void;
  onOpen(): void;
};

const STATES = { none: 'not loaded', loading: 'loading', ready: 'ready', failed: 'not there' } as const;

const nameless = (status: Status | undefined): string =>
  status === undefined || status.model.state === 'failed' ? 'No model' : 'Looking for a model';

export const ModelPicker = ({ chosen, onChoose, onOpen }: Props) => {
  const { status, models, sessionId, isGone } = useApp();
  const { view } = useSnapshot();
  const current = (sessionId === undefined ? chosen : view.model) || status?.model.id || '';
  const isDefault = sameModel(current, status?.model.id ?? '');
  const state =
    current === ''
      ? 'none'
      : view.activity.type === 'loading'
        ? 'loading'
        : isGone(current)
          ? 'not there'
          : isDefault && status
            ? STATES[status.model.state]
            : 'ready';
  return (
    <Menu
      label={current === '' ? `Choose a model: ${nameless(status).toLowerCase()}` : `Model ${current}, ${state}`}
      side="up"
      align="left"
      onOpen={onOpen}
      rootClass="min-w-0"
      buttonClass="quiet-button h-8 w-full max-w-56"
      button={
        <>
          <span
            aria-hidden="true"
            className={`size-2 shrink-0 rounded-full ${state === 'ready' ? 'bg-good' : state === 'not there' ? 'bg-bad' : 'border border-edge'}`}
          />
          <span className="truncate">{current === '' ? nameless(status) : bareModel(current)}</span>
          {state !== 'ready' && state !== 'none' && <span className="shrink-0">{state}</span>}
          <span className="shrink-0">
            <Icon name="down" size={12} />
          </span>
        </>
      }
      entries={models.map((model) => ({
        key: model.id,
        checked: sameModel(model.id, current),
        onSelect: () => onChoose(model.id),
        label: (
          <span className="flex min-w-56 flex-col">
            <span className="flex items-center gap-2">
              <span className="w-3 text-blue" aria-hidden="true">
                {sameModel(model.id, current) ? '✓' : ''}
              </span>
              <span className="min-w-0 flex-1 truncate">{model.id}</span>
              {model.loaded && <span className="text-xs text-good">loaded</span>}
            </span>
            <span className="pl-5 text-xs text-soft">{describe(model)}</span>
          </span>
        ),
      }))}
      note={models.length === 0 ? (status?.model.message ?? 'No model server is there, and no model file.') : undefined}
    />
  );
};
