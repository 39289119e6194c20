/** Has the person choose files of these endings. */
export const chooseFiles = (accept: string, take: (files: readonly File[]) => void): void => {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.accept = accept;
  input.addEventListener('change', () => take([...(input.files ?? [])]));
  input.click();
};
