/** Three things to try in this folder, from what is in it. Pure. */
const SOURCE = /\.(?:ts|tsx|js|jsx|py|rs|go|java|kt|c|cc|cpp|rb|php|swift|cs|lua|zig)$/;
const TEST = /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.[a-z]+$/i;
const TEXT = /\.(?:md|txt|csv|json|ya?ml|toml|org)$/i;
const COUNT = 3;

const shallow = (paths: readonly string[]): string[] =>
  [...paths].sort((a, b) => a.split('/').length - b.split('/').length || a.localeCompare(b));

/** The small model that halter brings lists, finds, reads and quotes, and not much more. */
export const isStarter = (model: string | undefined): boolean => /(?:^|\/)starter$|smollm2-135m/i.test(model ?? '');

/** What the starter can answer here. */
const forStarter = (near: readonly string[]): string[] => {
  const text = near.find((path) => TEXT.test(path)) ?? near[0];
  const found = [
    near.length > 0 ? 'What files are in this folder?' : undefined,
    text ? `Read ${text}` : undefined,
    text ? `How many lines does ${text} have?` : undefined,
    'What time is it?',
    'How much memory does this machine have?',
    'What is 17 * 23?',
  ];
  return found.flatMap((each) => each ?? []).slice(0, COUNT);
};

/** `model`: the one that will be asked; as long as that is not known, what every model can answer. */
export const suggestionsFor = (paths: readonly string[], model: string | undefined): string[] => {
  const near = shallow(paths);
  if (model === undefined || isStarter(model)) return forStarter(near);
  const readme = near.find((path) => /(?:^|\/)readme(?:\.[a-z]+)?$/i.test(path));
  const source = near.find((path) => SOURCE.test(path) && !TEST.test(path));
  const test = near.find((path) => TEST.test(path));
  const text = near.find((path) => TEXT.test(path) && path !== readme);
  const found = [
    readme ? `Summarise ${readme} in three sentences` : undefined,
    source ? `Explain what ${source} does` : undefined,
    test ? `What do the tests in ${test} check?` : undefined,
    text ? `What is in ${text}?` : undefined,
    paths.length > 0 ? 'What files are here, and what is this folder for?' : undefined,
    'Write hello.txt with a greeting in three languages',
    'What time is it, and how busy is this machine?',
    'Plan a small project with me as a task list',
  ];
  return found.flatMap((each) => each ?? []).slice(0, COUNT);
};
