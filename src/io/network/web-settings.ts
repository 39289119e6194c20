/** The person's settings and environment → what the web tools go by. */
import type { JsonObject } from '../../core/json.ts';
import {
  type ImageApi,
  type SearchBackend,
  type SearchSettings,
  WEB_SETTINGS,
  type WebSettings,
} from '../../core/web-settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type WebChoices = {
  search?: SearchBackend;
  searchUrl?: string;
  imageUrl?: string;
  imageApi?: ImageApi;
  imageModel?: string;
};

/** Where each service's own clients look for its key. */
const KEYS: Readonly<Partial<Record<SearchBackend, readonly string[]>>> = {
  brave: ['BRAVE_SEARCH_API_KEY', 'BRAVE_API_KEY'],
  tavily: ['TAVILY_API_KEY'],
};

const keyOf = (backend: SearchBackend, environment: Environment): string | undefined =>
  KEYS[backend]?.map((name) => environment[name]).find((value) => value);

export const toolConfig = (choices: WebChoices, environment: Environment, offline: boolean): JsonObject => {
  const imageUrl = environment['HALTER_IMAGE_URL'] || choices.imageUrl;
  const imageKey = environment['HALTER_IMAGE_API_KEY'];
  const settings: WebSettings = {
    ...searchOf(choices, environment),
    ...(imageUrl
      ? {
          image: {
            url: imageUrl,
            api: choices.imageApi,
            key: imageKey || undefined,
            model: choices.imageModel,
          },
        }
      : {}),
    offline,
  };
  return { [WEB_SETTINGS]: settings };
};

/** What was chosen by name counts; otherwise an address of a SearXNG, then whichever service there is a key for. */
const searchOf = (
  choices: WebChoices,
  environment: Environment,
): { search?: SearchSettings; searchProblem?: string } => {
  const searxngUrl = environment['HALTER_WEB_SEARCH_URL'] || choices.searchUrl;
  const backend =
    choices.search ??
    (searxngUrl ? 'searxng' : (['brave', 'tavily'] as const).find((candidate) => keyOf(candidate, environment)));
  if (backend === undefined) return {};
  // The variable is the address of a SearXNG; the setting is that of whichever service is chosen.
  const url = backend === 'searxng' ? searxngUrl : choices.searchUrl;
  const key = keyOf(backend, environment);
  if (KEYS[backend] && !key) return { searchProblem: `${backend} needs a key in ${KEYS[backend]?.join(' or ')}` };
  if (backend === 'searxng' && !url) {
    return {
      searchProblem:
        'searxng needs its address in HALTER_WEB_SEARCH_URL, the setting web_search_url or, in a program, tools: { web: { searchUrl } }',
    };
  }
  return { search: { backend, url: url || undefined, key: key || undefined } };
};
