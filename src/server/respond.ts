/** Answers with the headers that every answer has, put together once: setting them one by one costs more than a route. */
import { type Guard, SECURITY_HEADERS } from './guard.ts';

const HEADERS: Readonly<Record<string, string>> = { ...SECURITY_HEADERS, 'cache-control': 'no-store' };
const whole = new WeakSet<Response>();

export const respond = (
  body: ConstructorParameters<typeof Response>[0],
  headers: Readonly<Record<string, string>>,
  status = 200,
): Response => {
  const response = new Response(body, { status, headers: { ...HEADERS, ...headers } });
  whole.add(response);
  return response;
};

/** An answer that was made elsewhere gets them as well; where it is stricter, it stays so. */
export const withHeaders = (response: Response, request: Request, guard: Pick<Guard, 'isTrustworthy'>): Response => {
  if (!whole.has(response)) {
    for (const [name, value] of Object.entries(HEADERS)) {
      if (!response.headers.has(name)) response.headers.set(name, value);
    }
  }
  // Elsewhere browsers leave it out of account and write an error for each page.
  if (!isTaken(request, guard)) response.headers.delete('cross-origin-opener-policy');
  return response;
};

const isTaken = (request: Request, guard: Pick<Guard, 'isTrustworthy'>): boolean => {
  try {
    return guard.isTrustworthy(request);
  } catch {
    // What was refused for its host may have none that can be read.
    return false;
  }
};
