import { describe, expect, it } from 'vitest';
import { withHint } from './error-text.ts';
import { ModelFailure } from './errors.ts';

describe('what went wrong and what to do', () => {
  it.each([
    ['a full stop is put behind words that have none', 'It said no', 'It said no. Ask again.'],
    ['and none where there is one', 'It said no.', 'It said no. Ask again.'],
    ['or another mark', '没有这个模型。', '没有这个模型。 Ask again.'],
    ['several lines are a paragraph of their own', 'One\ntwo', 'One\ntwo.\n\nAsk again.'],
  ])('%s', (_what, message, text) => expect(withHint({ message, hint: 'Ask again.' })).toBe(text));

  it('is the message alone where nothing is to be done', () => expect(withHint({ message: 'No' })).toBe('No'));

  it('names options in the place of flags in a program', () => {
    const failure = new ModelFailure({
      code: 'unauthorized',
      message: 'It refused: no key',
      hint: 'Check the API key (--api-key-env NAME) and --base-url.',
    });
    expect(failure.message).toBe(
      'It refused: no key. Check the API key (apiKey, or apiKeyEnv with the name of a variable) and baseUrl.',
    );
  });
});
