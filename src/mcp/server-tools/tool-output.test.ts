import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { MCP_LIMITS } from '../limits.ts';
import { boundedText, toToolOutput } from './tool-output.ts';

describe('what a server answered', () => {
  const output = (result: object) => toToolOutput(result as never, undefined);

  it('is text; what is no text is named, and what is said twice is said once', () => {
    verifies('B10');
    const image = { type: 'image', mimeType: 'image/png', data: 'A'.repeat(4_000_000) };
    expect(output({ content: [{ type: 'text', text: 'a' }, image] })).toMatchObject({
      data: 'a\n[image, image/png, 3,000,000 bytes]',
    });
    const structuredContent = { n: 1 };
    expect(output({ content: [{ type: 'text', text: '{ "n": 1 }' }], structuredContent })).toMatchObject({
      data: '{ "n": 1 }',
    });
    expect(output({ content: [], structuredContent })).toMatchObject({ data: '{"n":1}' });
    expect(output({ content: [{ type: 'text', text: 'no\u{E0061}' }], isError: true })).toEqual({
      success: false,
      error_type: 'io_error',
      error_message: 'no',
      metadata: { reason: 'tool_error' },
    });
  });

  it('is never more than a model reads of it, whatever came', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (content, structuredContent) => {
        const { data = '' } = output({ content, structuredContent });
        expect(Buffer.byteLength(data)).toBeLessThanOrEqual(MCP_LIMITS.mcpResultBytes + 200);
      }),
    );
    const long = output({ content: [{ type: 'text', text: 'ü'.repeat(100_000) }] });
    expect(Buffer.byteLength(long.data ?? '')).toBeLessThanOrEqual(MCP_LIMITS.mcpResultBytes + 200);
    expect(long.metadata?.truncated).toContain('200,000 bytes');
  });

  it('is cut by bytes where it is long, at the end of a character', () => {
    expect(boundedText('short', 10)).toEqual({ text: 'short' });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 40 }), (text) => {
        const { text: kept, truncated } = boundedText(text, 20);
        if (truncated !== undefined) expect(text.startsWith(kept.split('\n[cut: ')[0] as string)).toBe(true);
      }),
    );
  });

  it('keeps pictures for models that see, beside the words about them', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'iVBORwEC' };
    const blob = { type: 'resource', resource: { uri: 'a:b', mimeType: 'image/png', blob: 'iVBORwEC' } };
    expect(output({ content: [{ type: 'text', text: 'Here:' }, image, blob] })).toEqual({
      success: true,
      data: 'Here:\n[image, image/png, 6 bytes]\n[resource a:b, image/png, 6 bytes]',
      for_model: [
        { type: 'text', text: expect.stringContaining('Here:') },
        { type: 'image', mime_type: 'image/png', data_base64: 'iVBORwEC' },
        { type: 'image', mime_type: 'image/png', data_base64: 'iVBORwEC' },
      ],
    });
  });

  const png = 'iVBORwEC';
  const resource = (mimeType: string) => ({ type: 'resource', resource: { uri: 'a:b', mimeType, blob: png } });
  it.each<[object, string, boolean]>([
    [{ type: 'image', mimeType: 'image/png', data: png }, '[image, image/png, 6 bytes]', false],
    [{ type: 'image', mimeType: 'image/png', data: 'iVBORwE=' }, '[image, image/png, 5 bytes]', false],
    [{ type: 'image', mimeType: 'image/png', data: 'iVBORw==' }, '[image, image/png, 4 bytes]', false],
    [{ type: 'image', mimeType: 'image/png', data: 'iVBO\r\nRwEC' }, '[image, image/png, 6 bytes]', false],
    [resource('image/png'), '[resource a:b, image/png, 6 bytes]', false],
    [{ type: 'image', data: png }, '[image, 6 bytes: not shown]', false],
    [{ type: 'audio', mimeType: 'audio/wav', data: png }, '[audio, audio/wav, 6 bytes: not shown]', false],
    [resource('application/pdf'), '[resource a:b, application/pdf, 6 bytes: not shown]', false],
    [{ type: 'image', mimeType: 'image/png', data: png }, '[image, image/png, 6 bytes: not shown]', true],
    [resource('image/png'), '[resource a:b, image/png, 6 bytes: not shown]', true],
  ])('says that %j is not shown only where no model gets it', (block, text, isError) => {
    const told = output({ content: [block], isError });
    expect(told.success ? told.data : told.error_message).toBe(text);
    expect('for_model' in told).toBe(!text.includes('not shown'));
  });
});
