/** W3C Trace Context: which span of which trace something was sent in. */

export type SpanIds = { trace_id: string; span_id: string };

const FORM = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

/** Undefined where it is not one: a client may have sent anything. */
export const parseTraceparent = (text: string | null | undefined): SpanIds | undefined => {
  const [, trace_id, span_id] = FORM.exec(text ?? '') ?? [];
  return trace_id === undefined || span_id === undefined ? undefined : { trace_id, span_id };
};

export const traceparentOf = ({ trace_id, span_id }: SpanIds): string => `00-${trace_id}-${span_id}-01`;
