import { useEffect, useState } from 'react';
import { useApp, useSnapshot } from '../../app-context.tsx';
import { rowOf, sameModel } from '../../state/model-name.ts';

/** The window of the model that answers here, in tokens; undefined while nobody knows it. */
export const useContextLength = (): number | undefined => {
  const { status, models } = useApp();
  const { model, items } = useSnapshot().view;
  // Where room was made, more may be known of the window than before.
  const rooms = items.filter((item) => item.kind === 'notice' && item.severity === 'quiet').length;
  const described = useDescribedLength(model, rooms);
  const current = model || status?.model.id || '';
  const isDefault = sameModel(current, status?.model.id ?? '');
  return (
    (rooms > 0 ? described : undefined) ??
    (isDefault ? status?.model.context_length : undefined) ??
    rowOf(models, current)?.context_length ??
    described
  );
};

/** A list of models does not always tell how long their windows are, so the server is asked about the one. */
const useDescribedLength = (model: string, rooms: number): number | undefined => {
  const { api } = useApp();
  const [described, setDescribed] = useState<{ model: string; length: number | undefined }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: where room was made, it is asked again.
  useEffect(() => {
    if (model === '') return;
    let over = false;
    void api.describeModel(model).then((answer) => {
      if (!over && answer.ok) setDescribed({ model, length: answer.value.model.context_length });
    });
    return () => {
      over = true;
    };
  }, [api, model, rooms]);
  // What was said of another model says nothing of this one.
  return described?.model === model ? described.length : undefined;
};
