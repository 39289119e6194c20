/** Words of permissions, which are the person's alone to give. */
import { alone } from '../alone.ts';

/** It says that the person allows something, which is theirs alone to say. */
export const claimsPermission = (note: string): boolean => PERMISSION.test(note);
const PERMISSION = new RegExp(
  [
    alone(
      'allow(?:s|ed)?|permit(?:s|ted)?|permission|approve[sd]?|authori[sz]e[sd]?|granted|(?:you|i|we|it|model) may',
    ),
    alone('erlaub\\p{L}*|genehmigt\\p{L}*|darf(?:st)?|dürfen|autoris\\p{L}+|permis\\p{L}*|approuv\\p{L}+|aprob\\p{L}+'),
    alone('zezwol\\p{L}*|разреш\\p{L}*|позвол\\p{L}*|مسموح|अनुमति'),
    '允许|许可|批准|許可|許し|허용|허락|อนุญาต',
  ].join('|'),
  'iu',
);
