/** What the models dialog shows, kept up to date while it is open. */
import { useCallback, useEffect, useState } from 'react';
import { useApp } from '../app-context.tsx';
import type { Answer, ModelJob, ModelRow } from '../state/api.ts';

const MODELS_MS = 4_000;
const JOBS_MS = 700;

export type ModelsPanel = {
  /** Undefined until the servers answered for the first time. */
  models: readonly ModelRow[] | undefined;
  memoryBytes: number | undefined;
  /** For whom models can be got. */
  gets: readonly ('ollama' | 'embedded')[] | undefined;
  jobs: readonly ModelJob[];
  problem: string | undefined;
  /** Does something, says what was wrong with it, and looks at everything again. */
  act(work: Promise<Answer<unknown>>): Promise<boolean>;
};

export const useModelsPanel = (): ModelsPanel => {
  const { api, refreshModels } = useApp();
  const [models, setModels] = useState<readonly ModelRow[]>();
  const [memoryBytes, setMemoryBytes] = useState<number>();
  const [gets, setGets] = useState<ModelsPanel['gets']>();
  const [jobs, setJobs] = useState<readonly ModelJob[]>([]);
  const [problem, setProblem] = useState<string>();
  const lookAtModels = useCallback(async (): Promise<void> => {
    const answer = await api.modelsInDetail();
    if (!answer.ok) {
      setProblem(answer.message);
      return;
    }
    setModels(answer.value.models);
    setMemoryBytes(answer.value.memory_bytes);
    setGets(answer.value.gets);
  }, [api]);
  const lookAtJobs = useCallback(async (): Promise<void> => {
    const answer = await api.modelJobs();
    if (answer.ok) setJobs(answer.value.jobs);
  }, [api]);
  useEffect(() => {
    void lookAtModels();
    void lookAtJobs();
    const timer = setInterval(() => void lookAtModels(), MODELS_MS);
    return () => clearInterval(timer);
  }, [lookAtModels, lookAtJobs]);
  const running = jobs.filter(({ state }) => state === 'running').length;
  useEffect(() => {
    if (running === 0) return;
    const timer = setInterval(() => void lookAtJobs(), JOBS_MS);
    return () => {
      clearInterval(timer);
      // One of them is over: there is another model, or more is known of one.
      void lookAtModels();
      refreshModels();
    };
  }, [running, lookAtJobs, lookAtModels, refreshModels]);
  const act = useCallback(
    async (work: Promise<Answer<unknown>>): Promise<boolean> => {
      setProblem(undefined);
      const answer = await work;
      if (!answer.ok) setProblem(answer.message);
      await Promise.all([lookAtModels(), lookAtJobs()]);
      refreshModels();
      return answer.ok;
    },
    [lookAtModels, lookAtJobs, refreshModels],
  );
  return { models, memoryBytes, gets, jobs, problem, act };
};
