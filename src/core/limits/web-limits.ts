/** The numbers of the network door for tools, the tools of the web, pictures, and the ledger of connections. */
export const WEB_LIMITS = {
  webRedirects: 5,
  webResponseBytes: 10 * 1024 * 1024,
  webConnectTimeoutMs: 8_000,
  /** Connecting, redirects and the body together; what is left of the tool's time is for reading the page. */
  webFetchNetworkMs: 10_000,
  webFetchTimeoutMs: 14_500,
  /** A page whose conversion takes longer is given as plain text. */
  webConvertMs: 4_000,
  /** Of a page that is read as an article; a longer one comes as plain text. */
  webPageCharacters: 2_000_000,
  webConvertMemoryMb: 64,
  /** Of new objects. */
  webConvertYoungMemoryMb: 8,
  webFetchCharactersDefault: 20_000,
  /** Beyond it the runner would cut the text anyway. */
  webFetchCharactersMax: 50_000,
  webUrlCharacters: 4_096,
  /** Elements within elements; deeper pages are read as plain text. */
  webPageDepth: 150,
  /** Elements opened and not closed, by a guess before parsing. */
  webPageOpenElements: 1_000,
  webPdfPages: 200,
  webTitleCharacters: 300,
  webSearchResultsDefault: 5,
  webSearchResultsMax: 20,
  webSearchQueryCharacters: 1_000,
  webSearchSnippetCharacters: 500,
  /** Less than a tool's time by this much, so that a silent service is said before the tool is ended. */
  webSearchReserveMs: 1_000,
  webSearchResponseBytes: 4 * 1024 * 1024,
  imageTimeoutMs: 600_000,
  imageProbeTimeoutMs: 3_000,
  imagePollMs: 500,
  imageResponseBytes: 64 * 1024 * 1024,
  imagePromptCharacters: 4_000,
  imagePixelsMax: 4_096,
  imageStepsMax: 200,
  imageNames: 1_000,
  egressFileBytes: 2 * 1024 * 1024,
  egressFilesAside: 3,
  egressHostCharacters: 255,
  egressReasonCharacters: 300,
  /** Of a picture that is shown: its bytes, its points when it is drawn, and how long another side may take. */
  pictureBytes: 16 * 1024 * 1024,
  picturePixels: 50_000_000,
  pictureTimeoutMs: 20_000,
} as const;
