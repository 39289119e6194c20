import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInlineImage, linkTarget, saysTarget, shownTarget } from './safe-url.ts';

describe('addresses in a model’s text', () => {
  it('are links with three schemes only', () => {
    expect(linkTarget('https://a.test/x')).toBe('https://a.test/x');
    expect(linkTarget('mailto:a@b.test')).toBe('mailto:a@b.test');
    for (const url of [
      'javascript:alert(1)',
      ' java\nscript:alert(1)',
      'JAVASCRIPT:alert(1)',
      'data:text/html,<script>1</script>',
      'vbscript:x',
      'file:///etc/passwd',
      'blob:https://a.test/1',
      'src/a.ts',
      '//evil.test',
      '',
    ]) {
      expect(linkTarget(url)).toBeUndefined();
    }
  });

  it('never become anything else, whatever they are', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((rest) => `https://a.test/${rest}`),
          fc.constantFrom('javascript:', 'data:').chain((scheme) => fc.string().map((rest) => scheme + rest)),
        ),
        (url) => {
          const target = linkTarget(url);
          if (target !== undefined) expect(target).toMatch(/^(?:https?|mailto):/);
        },
      ),
    );
  });

  it('show the host that the network knows', () => {
    expect(shownTarget('https://xn--bcher-kva.test/')).toBe('xn--bcher-kva.test');
    expect(shownTarget(linkTarget('https://bücher.test/a?b=1') ?? '')).toBe('xn--bcher-kva.test/a?b=1');
    const long = `${'good.test.'.repeat(12)}evil.test`;
    expect(shownTarget(`https://${long}/${'x'.repeat(100)}`)).toBe(`${long}/${'x'.repeat(39)}…`);
    expect(shownTarget('https://good.test@evil.test/')).toBe('evil.test');
    expect(saysTarget('https://evil.test', 'https://evil.test/')).toBe(true);
    expect(saysTarget('https://good.test', 'https://evil.test/')).toBe(false);
  });

  it('are pictures only where the bytes are in the text and cannot run', () => {
    expect(isInlineImage('data:image/png;base64,iVBORw0KGgo=')).toBe(true);
    for (const url of ['data:image/svg+xml;base64,PHN2Zz4=', 'https://a.test/p.png', 'data:text/html;base64,PGI+']) {
      expect(isInlineImage(url)).toBe(false);
    }
  });
});
