/** Three things to try in this folder, from what is in it. Pure. */
const SOURCE = /\.(?:ts|tsx|js|jsx|py|rs|go|java|kt|c|cc|cpp|rb|php|swift|cs|lua|zig)$/;
const TEST = /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.[a-z]+$/i;
const TEXT = /\.(?:md|txt|csv|json|ya?ml|toml|org)$/i;
const COUNT = 3;

const shallow = (paths: readonly string[]): string[] =>
  [...paths].sort((a, b) => a.split('/').length - b.split('/').length || a.localeCompare(b));

export const suggestionsFor = (paths: readonly string[]): string[] => {
  const near = shallow(paths);
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
