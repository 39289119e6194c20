/**
 * Where programs read which authorities they trust. The files are public, and without them nothing goes through the proxy of
 * a company that signs for every host.
 */
const NAMES: ReadonlySet<string> = new Set(
  `NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO GIT_SSL_CAPATH PIP_CERT
   AWS_CA_BUNDLE CARGO_HTTP_CAINFO NPM_CONFIG_CAFILE NIX_SSL_CERT_FILE DENO_CERT HTTPLIB2_CA_CERTS
   GRPC_DEFAULT_SSL_ROOTS_FILE_PATH CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE`.split(/\s+/),
);

/** Anything but a path is none, whatever the variable is called. */
export const namesCertificates = (name: string, value: string): boolean =>
  NAMES.has(name.toUpperCase()) && /^\/[\w./@+~ -]*$/.test(value);
