/**
 * What a server says when it takes no pictures: the model has no vision, its vision part was not loaded, its template or
 * its reader of requests takes text alone. Servers say it in many words, with statuses from 400 to 500.
 */
const PICTURE = '(?:images?|image_urls?|pictures?|vision|multi-?modal(?:ity)?|mmproj|visual)';
const NOT =
  "(?:not (?:support(?:ed)?|enabled|available|allowed|accept(?:ed)?|permitted)|(?:does|do|is|are|can)(?:n['’]t| not) (?:support|accept|take|process|handle|have|a |able|enabled)|unsupported|only supported by|no (?:endpoints?|support|vision|image|mmproj)|cannot|missing|without|invalid|disabled|lacks?)";

const SAID = new RegExp(
  [
    `\\b${PICTURE}\\b[^.;\\n]{0,60}\\b${NOT}`,
    `\\b${NOT}\\b[^.;\\n]{0,60}\\b${PICTURE}\\b`,
    'at most 0 images?',
    'is not a multi-?modal model',
    'text[- ]only model|only (?:supports? )?text (?:input|content|messages)',
    'unknown (?:variant|content|part)[^.;\\n]{0,30}image',
    'unsupported content\\[\\]\\.type',
    'content(?:\\[\\d+\\])?[^.;\\n]{0,20}(?:must|should) be a (?:valid )?string',
    'invalid content type',
    '不支持(?:图片|图像|多模态)',
  ].join('|'),
  'i',
);

/** About one picture that cannot be read, or is too large: another one may be taken. */
const OF_ONE = new RegExp(
  [
    'too (?:large|big|small|many)|exceeds?|corrupt|truncated|decod|malformed|base64|download|fetch|dimensions?|pixels?',
    `\\b(?:failed|unable|cannot|can['’]t|could(?: not|n['’]t)|did not|not possible) (?:to |be )?(?:load|read|open|parse|process|identify|represent)(?:ed)?\\b`,
    // Of the picture itself, and not of the type of a part: "invalid content type: this model has no vision support".
    `\\b(?:invalid|bad|broken|empty|not a valid|unsupported) (?:input |image[_ -]?)?(?:${PICTURE}|format|data|bytes|file)\\b(?! (?:input|content|type|part|modal)|_url)`,
    `\\b${PICTURE}\\b (?:data|bytes|file|format|content)?[^.;\\n]{0,20}\\b(?:is|are|was) (?:invalid|broken|empty|not valid|not a valid)`,
  ].join('|'),
  'i',
);

const ANY = new RegExp(`\\b${PICTURE}\\b`, 'i');

/**
 * What a refusal says of pictures, by the server's own sentence: that none is taken, or that one of them cannot be read.
 * Undefined: it speaks of something else.
 */
export const pictureReason = (message: string): 'pictures_unsupported' | 'picture_unreadable' | undefined => {
  if (OF_ONE.test(message)) return ANY.test(message) ? 'picture_unreadable' : undefined;
  return SAID.test(message) ? 'pictures_unsupported' : undefined;
};
