/** Whether the words before a call introduce it as a sample or a quotation: in every notation, with marks or without. */

/** Words that are looked at before a call. */
const LOOKED_AT = 600;
/** A quotation of a page or of a message, and a numbered listing of a file. */
const QUOTE_FORM = /(?:^|\n)[ \t]*(?:>[^\n]*|\d+[ \t]*[:|\t→][ \t]*)$/;
/** What may stand between the sentence and the call. */
const LABEL = /(?:^|\n)[ \t]*(?:[-*•]|\d+[.)]|json|tool_call|`{3,}\w*)?[ \t]*$/i;
const EXAMPLE =
  /\b(?:for example|for instance|such as|zum beispiel|(?:examples?|samples?|illustrations?|beispiele?)(?![.\w/-]|\s+(?:files?|folders?|data|projects?)\b))/i;
/** The same in other languages, directly before the call. */
const EXAMPLE_ELSEWHERE =
  /(?:por ejemplo|por exemplo|par exemple|voici un exemple|per esempio|bijvoorbeeld|na przykład|например|örneğin|例如|比如|例えば|예를 들어)\s*[,:：]?$/iu;
/** The sentence is about the example, whoever gives it. */
const GIVEN =
  /^\W*(?:here(?:['’]s| is| are)|this is|for example|for instance|as an example|examples?|zum beispiel|beispiel|hier ist)\b/i;
/** Something says it, and that is not the model. */
const REPORT =
  /\b(?:files?|text|documents?|documentation|readme|manual|page|site|website|listing|calls?|lines?|output|logs?|message|notes?|comment|prompt|template|syntax|result|response|answer|e-?mail|code|snippet|command|section|paragraph|string|content|user|server|tool|program|it|this|which|he|she|they|datei|dokument|seite|zeile|aufruf|ausgabe)\b[^\n]{0,60}?\b(?:contains?|contained|says?|said|holds?|held|reads|shows?|showed|prints?|printed|outputs?|returns?|returned|quotes?|quoted|logs|wrote|written|writes|states?|includes?|enthält|lautet|zeigt)\b/i;
const FORM =
  /(?:\b(?:looks?|looked|goes|written|writes?|it|call|one|would be) (?:like (?:this|so|that)|as follows|so)|\blooks? like|\bhow (?:to|you|one|they)\b[^\n]{0,60}|\bsieht\b[^\n]{0,40}\baus)\s*[:.]?$/i;
/** Someone else acts or would, and not the model now; or a notation is explained, or a call judged. */
const OTHER =
  /\b(?:you|one|they|someone|user|models?|agents?|assistant|attacker)\b[^\n]{0,40}?\b(?:(?:would|could|might) (?!like|want|need|prefer|be\b)|(?:sends?|emits?|wrote|writes|pasted|posted|typed|put)\b[^\n]{0,30}$)|\b(?:syntax|format|notation) (?:is|would be)\b|\bdangerous\b|\bwrong to\b/i;
/** What the person is told to write. */
const TOLD =
  /^\W*(?:then |now |just |please )?(?:write|type|enter|paste|copy|send|reply with|answer with|schreibe?|sende)\b[^\n]{0,40}\b(?:this|these|the following|folgendes|das)\s*:$/i;
const REFUSED =
  /\b(?:not|never|won['’]t|wouldn['’]t|don['’]t|didn['’]t|shouldn['’]t|cannot|can['’]t|instead of)\s+(?:\w+\s+){0,2}(?:run|call|execute|make|do|use|send|write|obey|follow|comply|proceed|running|calling|executing|making|doing)\b|\bi (?:refuse|decline)\b|\b(?:decided|am|advise) against\b|\bi (?:(?:will|would|shall|do|did|can|must|should) not|cannot|(?:wo|would|do|did|ca|should)n['’]t)\W*$/i;
/** The person is asked first. */
const WAITS =
  /\b(?:shall|should|may|do you want me to|would you like me to|(?:is it|is that) ok(?:ay)? (?:if|to))\b[^\n?]{0,120}\?$|^\W*(?:ok(?:ay)?|all right|agreed)\s*\?$|\b(?:if you (?:agree|confirm|approve|allow|permit)|(?:after|with|without|need|needs|await|awaiting|wait for|waiting for) your (?:\w+ )?(?:ok|okay|permission|approval|consent|confirmation|agreement)|(?:once|as soon as|when) you (?:agree|confirm|approve|say (?:yes|so|go|ok))|soll ich\b[^\n?]{0,120}\?$)/i;
/** A question in which the model itself comes up, and that does not ask for something: nobody answers it but the person. */
const OWN_QUESTION =
  /^\W*(?!(?:how|what|where|when|who|whom|whose|which|why|was|wie|wo|wann|wer|welche\w*|warum)\b)[^\n?]{0,200}\b(?:i|me|we|us|ich|mich|mir|wir|uns)\b[^\n?]{0,200}\?$/i;
const INTENT =
  /\b(?:let me|let['’]?s|let us|lass mich|i(?:['’](?:ll|d|m)| (?:will|would|shall|need|want|have to|must|should|am|now|first|then|also|next|just|start|begin|save|read|list|look|check|call|run|use|write|make|create|open|do|try|search|fetch|get|go|see|ask|send|put|add|edit|update|delete|execute|view|compute|calculate))|we(?:['’]ll| will| need| should| must)|ich (?:werde|muss|will|möchte|lese|rufe|schreibe|suche))\b/i;
const CLAUSE = /[,;]\s+|\s+(?:but|and|so|then|because|since|und|aber|weil)\s+(?=\S+\s)/i;

/**
 * Decided by the sentence directly before the call, or by a form of quotation. A sentence that states what the model is
 * about to do makes the call a meant one, also where it holds words of a sample: "Let me see what the folder contains:".
 */
export const isSample = (words: string): boolean => {
  const near = words.slice(-LOOKED_AT);
  if (QUOTE_FORM.test(near)) return true;
  const sentence = lastSentence(near);
  if (sentence === '') return false;
  const clause = sentence.split(CLAUSE).at(-1) ?? sentence;
  if (isHeldBack(sentence)) return true;
  if (TOLD.test(sentence) || (GIVEN.test(sentence) && EXAMPLE.test(sentence))) return true;
  if (EXAMPLE_ELSEWHERE.test(sentence)) return true;
  if (INTENT.test(clause)) return false;
  const isOpen = !/[.!?]$/.test(sentence);
  if (isOpen && (REPORT.test(clause) || FORM.test(clause) || OTHER.test(clause))) return true;
  if (INTENT.test(sentence)) return false;
  return EXAMPLE.test(sentence) || (isOpen && REPORT.test(sentence));
};

/** The sentence directly before the call says that it is not made, or not without a word of the person. */
export const isRefusal = (words: string): boolean => isHeldBack(lastSentence(words.slice(-LOOKED_AT)));

/** The last clause that says what the model does or does not do counts: reasons may follow it. */
const isHeldBack = (sentence: string): boolean => {
  if (WAITS.test(sentence) || OWN_QUESTION.test(sentence)) return true;
  const said = sentence.split(CLAUSE).findLast((clause) => REFUSED.test(clause) || INTENT.test(clause));
  return said !== undefined && REFUSED.test(said);
};

const lastSentence = (words: string): string => {
  const text = words
    .trimEnd()
    .replace(LABEL, '')
    .replace(/\be\.\s?g\.,?/gi, 'for example')
    .replace(/\bz\.\s?B\.,?/gi, 'zum Beispiel')
    .replaceAll(/[*_]{2}/g, '')
    .trim();
  const line = text.slice(text.lastIndexOf('\n') + 1);
  return line.split(/(?<=[.!?…:])\s+/).at(-1) ?? '';
};
