/** The model that an agent was started with, opened at the first need, and the way to every other. */
import type { ModelError } from '../../core/model-port.ts';
import { openedOnce } from '../../core/opened-once.ts';
import type { Outcome } from '../../core/outcome.ts';
import { closeAll } from '../close-all.ts';
import type { ModelOptions } from '../create-agent/options.ts';
import { type ChosenModel, chooseModel, type ModelPlace } from './choose-model.ts';
import { createModelCatalogue, type ModelCatalogue } from './model-catalogue.ts';

export type Models = {
  /** The one that the agent was started with. One that could not be opened is tried again by the next call. */
  main(): Promise<Outcome<ChosenModel, ModelError>>;
  catalogue: ModelCatalogue;
  close(): Promise<void>;
};

export const openModels = (options: ModelOptions, place: ModelPlace): Models => {
  const { open: main, opened } = openedOnce(
    () => chooseModel(options, place),
    ({ ok }) => ok,
  );
  const catalogue = createModelCatalogue({ options, place, main, opened });
  return {
    main,
    catalogue,
    async close() {
      const ofMain = async (): Promise<void> => {
        const chosen = await opened();
        if (chosen?.ok) await chosen.value.provider.close();
      };
      const problems = await closeAll([
        ['the model', ofMain],
        ['the other models', () => catalogue.close()],
      ]);
      for (const problem of problems) place.io.onWarning('close_failed', problem);
    },
  };
};
