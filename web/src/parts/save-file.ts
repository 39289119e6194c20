/** So long a browser may take to begin a download. */
const DOWNLOAD_MS = 60_000;

/** Hands the person a file under this name. */
export const saveFile = (name: string, content: Blob | string): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), DOWNLOAD_MS);
};
