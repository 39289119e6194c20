/** Node's network errors in words that a person can act on. */
import type { HttpFailure } from '../../core/ports.ts';
import { thrownText } from '../../core/thrown-text.ts';

const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Of what `dial` returned: asking again would not help. */
export const NO_SOCKET = 'ERR_INVALID_RETURN_VALUE';

export const failed = (kind: HttpFailure['kind'], message: string): { ok: false; error: HttpFailure } => ({
  ok: false,
  error: { kind, message },
});

export const errorCode = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Both address families failed: the first of the errors speaks for all.
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  return '';
};

/** `connected` says whether the other side had taken the connection when the error came. */
export const describeError = (error: unknown, target: string, connected: boolean): HttpFailure => {
  const code = errorCode(error);
  if (CERTIFICATE_CODES.has(code)) {
    return { kind: 'certificate', message: `the certificate of ${target} is not trusted (${code})` };
  }
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code.startsWith('ERR_SSL')) {
    return { kind: 'certificate', message: `${target} does not speak TLS as https:// needs it (${code})` };
  }
  if (code.startsWith('HPE_')) {
    return { kind: 'disconnected', message: `${target} answered with something that is not HTTP (${code})` };
  }
  if (code === 'ECONNREFUSED') return { kind: 'refused', message: `connection refused by ${target}` };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return { kind: 'refused', message: `the host name of ${target} cannot be resolved (${code})` };
  }
  if (code === NO_SOCKET) return { kind: 'invalid_url', message: `no connection to ${target} (${thrownText(error)})` };
  if (code === 'ERR_PROXY_TUNNEL') return { kind: 'refused', message: `the proxy gave no way to ${target}` };
  if (connected) return { kind: 'disconnected', message: `the connection to ${target} was closed (${code || 'cut'})` };
  return { kind: 'refused', message: `no connection to ${target} (${code || thrownText(error)})` };
};
