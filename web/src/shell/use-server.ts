/** What the server says besides the sessions' own streams: how it stands, its models, the list of sessions. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Api, ModelRow, SessionRow, Status } from '../state/api.ts';
import { inBrowser } from '../state/browser-store.ts';
import { rowOf, sameModel } from '../state/model-name.ts';
import { oneAtATime } from '../state/one-at-a-time.ts';
import { withFirstPage, withNextPage } from '../state/session-list.ts';

/** `needsToken`: nothing is answered to this page, whatever it asks. */
export type Problem = { title: string; text: string; needsToken?: true };

const NO_TOKEN: Problem = {
  title: 'This page has no token',
  text: 'Open the address that halter serve printed when it started, or paste the token out of it. A token of an earlier start no longer counts: halter serve --token-file FILE, or HALTER_TOKEN, keeps one through restarts.',
  needsToken: true,
};
const silent = (text: string): Problem => ({ title: 'halter does not answer', text });

const LOADING_MS = 1_000;
const MODELS_MS = 10_000;

const ALL_FOLDERS = 'halter all folders';

/** Kept in this browser. */
const useAllFolders = (): readonly [boolean, (all: boolean) => void] => {
  const [all, setAll] = useState(() => inBrowser.get(ALL_FOLDERS) === 'on');
  const set = useCallback((wanted: boolean): void => {
    inBrowser.set(ALL_FOLDERS, wanted ? 'on' : 'off');
    setAll(wanted);
  }, []);
  return [all, set];
};

/** The sessions of this folder or of all, page by page. */
const useSessionRows = (api: Api) => {
  const [sessions, setSessions] = useState<readonly SessionRow[]>([]);
  const [pinned, setPinned] = useState<readonly SessionRow[]>([]);
  /** The next page behind what is known, one at a time. */
  const isWhole = useRef(false);
  const coming = useRef(false);
  const [allFolders, keepAllFolders] = useAllFolders();
  const setAllFolders = useCallback(
    (all: boolean): void => {
      setSessions([]);
      setPinned([]);
      keepAllFolders(all);
    },
    [keepAllFolders],
  );
  /** What is asked for now; an answer to another question counts no longer. */
  const scope = useRef(allFolders);
  if (scope.current !== allFolders) {
    scope.current = allFolders;
    isWhole.current = false;
    coming.current = false;
  }
  // Each change anywhere asks for it: where many come, answers come later than questions.
  const refreshSessions = useMemo(
    () =>
      oneAtATime(async () => {
        const answer = await api.sessions({ all: allFolders });
        if (!answer.ok || scope.current !== allFolders) return;
        const { sessions: page, pinned: inFront = [], has_more } = answer.value;
        setPinned(inFront);
        isWhole.current ||= !has_more;
        setSessions((known) => withFirstPage(known, page, has_more));
      }),
    [api, allFolders],
  );
  const last = sessions.at(-1)?.id;
  const moreSessions = useCallback(() => {
    if (last === undefined || isWhole.current || coming.current) return;
    coming.current = true;
    void api.sessions({ after: last, all: allFolders }).then((answer) => {
      if (scope.current !== allFolders) return;
      coming.current = false;
      if (!answer.ok) return;
      isWhole.current = !answer.value.has_more;
      setSessions((known) => withNextPage(known, answer.value.sessions));
    });
  }, [api, last, allFolders]);
  return useMemo(
    () => ({ sessions, pinned, allFolders, setAllFolders, refreshSessions, moreSessions }),
    [sessions, pinned, allFolders, setAllFolders, refreshSessions, moreSessions],
  );
};

const useModelRows = (api: Api, isHere: boolean) => {
  const [models, setModels] = useState<readonly ModelRow[]>([]);
  const [listed, setListed] = useState<ReadonlySet<string>>(new Set());
  const refreshModels = useCallback(() => {
    void api.models().then((answer) => {
      if (!answer.ok) return;
      setModels(answer.value.models);
      setListed((known) => new Set([...known, ...answer.value.models.map(({ id }) => id)]));
    });
  }, [api]);
  // A model server may end and come back while the page is open.
  useEffect(() => {
    if (!isHere) return;
    const look = (): void => {
      if (!document.hidden) refreshModels();
    };
    const timer = setInterval(look, MODELS_MS);
    window.addEventListener('focus', look);
    return () => {
      clearInterval(timer);
      window.removeEventListener('focus', look);
    };
  }, [isHere, refreshModels]);
  /** Whether a model that was there is there no longer. */
  const isGone = useCallback(
    (model: string): boolean => {
      const row = rowOf(models, model);
      return row === undefined ? [...listed].some((id) => sameModel(id, model)) : row.unreachable === true;
    },
    [listed, models],
  );
  return useMemo(() => ({ models, refreshModels, isGone }), [models, refreshModels, isGone]);
};

/** Until the model is there or is known not to be: how far it is. */
const useModelStatus = (api: Api, isHere: boolean) => {
  const [status, setStatus] = useState<Status>();
  const [problem, setProblem] = useState<Problem>();
  const [attempt, setAttempt] = useState(0);
  const loadAgain = useCallback(() => setAttempt((before) => before + 1), []);
  useEffect(() => {
    if (!isHere) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let over = false;
    const ask = async (again: boolean): Promise<void> => {
      const answer = await api.status(again);
      if (over) return;
      if (answer.ok) setStatus(answer.value);
      setProblem(answer.ok ? undefined : answer.status === 401 ? NO_TOKEN : silent(answer.message));
      const settled = answer.ok ? ['ready', 'failed'].includes(answer.value.model.state) : answer.status === 401;
      if (!settled) timer = setTimeout(() => void ask(false), LOADING_MS);
    };
    void ask(attempt > 0);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [api, isHere, attempt]);
  return useMemo(() => ({ status, problem, loadAgain }), [status, problem, loadAgain]);
};

/** Where none was ready, one that is found or got meanwhile may be. */
const useLookWhenOneCame = (models: readonly ModelRow[], { status, loadAgain }: ReturnType<typeof useModelStatus>) => {
  const usable = models.flatMap(({ id, problem }) => (problem === undefined ? [id] : [])).join('\n');
  const seen = useRef(usable);
  useEffect(() => {
    if (seen.current === usable) return;
    seen.current = usable;
    if (usable !== '' && status?.model.state === 'failed') loadAgain();
  }, [usable, status, loadAgain]);
};

/** Asks again when halter is back. */
export const useServer = (api: Api, isHere: boolean) => {
  const sessions = useSessionRows(api);
  const models = useModelRows(api, isHere);
  const status = useModelStatus(api, isHere);
  const { refreshSessions } = sessions;
  const { refreshModels } = models;
  useLookWhenOneCame(models.models, status);
  useEffect(() => {
    if (!isHere) return;
    refreshSessions();
    refreshModels();
  }, [isHere, refreshSessions, refreshModels]);
  return useMemo(() => ({ ...status, ...models, ...sessions }), [status, models, sessions]);
};
