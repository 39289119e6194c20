/** How many characters two prompts have alike from their start. */
export const sharedLength = (one: string, other: string): number => {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
};
