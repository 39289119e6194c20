/**
 * Whether the words before and behind a call show that the model means it now. The rule is the same in every language and
 * for calls with marks and without: a call is made at once where nothing introduces it, or where the sentence before it says
 * that somebody acts now: a first person ("I", "let me", "Reading the file."), a word of assent, something that is needed.
 * Whatever else leads to it (a statement, an order to the reader, a caption, a line that ends in a colon, a heading, a
 * quotation, a sentence in a language that no list has) may present it, and then the model is asked. A phrase that is
 * missing here therefore costs one request; it never runs a sample.
 */

/** Words that are looked at before a call. */
const LOOKED_AT = 600;
/** A quotation, a comment, the row of a table, a numbered listing of a file, an added line, the body of a function. */
const QUOTE_FORM =
  /(?:^|\n)[ \t]*(?:>[^\n]*|\d+[ \t]*[:|\t→][ \t]*|(?:[+|#%;]+|\/\/+|\/\*+|<!--|--|&gt;)[ \t]*(?:(?:[-*•]|\d+[.)])[ \t]*)?|(?:["'“„«‘「『]{1,3}|<!--|\/\*+)\s*)$|(?:^|\n)(?:def|class|function) [^\n]*\n[\s\S]*$/;
/** The item of a list: behind words a call in it may be one of several things that are shown. Alone it is a call. */
const LIST_ITEM = /(?:^|\n)[ \t]*(?:[-*•]|\d+[.)])[ \t]*(?:`{3,}\w*\s*)?$/;
/** What may stand around the first call of a text that is nothing else: the mark of its line, and a fence around that. */
const LEAD =
  /^\s*(?:`{3,}[\w-]*[ \t]*\n[ \t]*)?(?:>|--|[+|#%;]+|\d+[ \t]*[:|→]|\/\/+|\/\*+|<!--|&gt;|["'“„«‘「『]+)(?=[ \t\n]*[`[{<(\w])/;
/** What may stand between the sentence and the call. */
const LABEL = /(?:^|\n)[ \t]*(?:[-*•]|\d+[.)]|json|tool_call|Action:|Tool:|Call:|`{3,}\w*)?[ \t]*$/i;
/** The sentence is over. */
const CLOSED = /[.!?…。！？؟।][)"'”’»]*$/;
/** The model is still at it; or it is one word of assent. No refusal is written so, in whatever language. */
const GOES_ON = /(?:…|\.{3})\P{L}*$|^\P{L}*\p{L}+\s*[!！]\P{L}*$/u;
/** First persons, who act now. */
const INTENT = new RegExp(
  [
    String.raw`\b(?:let me|let['’]?s|let us|(?:i|we)(?:['’]ll| (?:will|shall|need|want|have to|must|should|can)|['’](?:m|re) going to| (?:am|are) going to)|i(?:['’]m| am) (?!not)\w+ing|i (?:(?:now|first|then|also|next|just|start by|begin by) )*(?:(?:start|begin) with|read|list|look|check|call|run|use|save|make|create|open|do|try|search|fetch|get|go|see|ask|edit|update|delete|execute|view|compute|calculate|compare|count|verify|inspect|examine|add|remove|change|fix|build|test)|ich|lass mich|lassen sie mich|laisse[zr]?[- ]moi|voy a|vamos a|d[ée]j[ae]me|vou|deixe[- ]me|vado a|lascia(?:mi)?|fammi|ora (?:leggo|cerco|controllo)|ik|laat me)\b`,
    // `je` is the verb of many a Slavic sentence.
    String.raw`(?:^|[,;:]\s*|\b(?:maintenant|ensuite|puis|donc|alors) )j(?:e \p{L}*(?:[esx]|ai)(?!\p{L})|['’](?=\p{L}))`,
    // Russian, and no other language of its letters.
    String.raw`^(?!.*[іїєґўјәғқңөұүһљњћђџ]).*(?<!\p{L})(?:я|давай(?:те)?|сейчас)(?!\p{L})`,
    '我|私|ます[。：:]?$|겠습니다|할게요',
  ].join('|'),
  'iu',
);
/** "Reading the file." says who reads it; "Reading it is slow.", "Reading material." and "Listing 3." do not. */
const ACTING =
  /^\P{L}*(?:(?:now|first|next|then|also|ok(?:ay)?|so|just|still)\P{L}+)*(?!(?:according|during|string|\w*thing|morning|evening)\b)\p{L}+ing(?!\P{L}*\d)(?=\P{L}*$| +(?:again|now|both|all|each|another|more|some|one|two|three|several|it|them|the|an?|your?|my|our|what|whether|where|which|how|this|that|these|those|its|for|into|through|at|in|on|up|with)\b| +(?:`|\S*[._/]\w))(?!.* (?:is|are|was|were|has|had|will|would|can|could|may|might|must|should|does|did|works|gives?|makes?|takes?|means?|needs?|yields?|returns?|produces?|becomes?|looks?|leads?|requires?)\b)/iu;
/** Shows, supposes, tells of what was, in the languages of `INTENT`: what says something else is asked about anyhow. */
const PRESENTED =
  /\b(?:would|could|might|if|suppose|imagine|assum\w*|when(?:ever)?|usually|normally|typically|always|show|explain|(?:tell|give)(?= (?!me\b)\w)|demonstrat\w*|illustrat\w*|describ\w*|quot\w*|present|like (?:this|so|that)|looks? like|as follows|format|syntax|notation|templat\w*|sampl\w*|hypothe\w*|zeig\w*|erklär\w*|würde|wenn|falls|montr\w*|expliqu\w*|muestr\w*|mostr\w*|explic\w*|ense[ñn]\w*|spieg\w*|si (?:je|yo|quisiera))\b|for instance|such as|ex[ae]mpl|ejempl|esempi|beispiel|voorbeeld|пример|покаж|объясн|если|举|例|展示|如果|예시|보여/iu;
/** Data and files are called examples as well, and the name of a file may be any word. */
const NO_SAMPLE =
  /\bthe (?:ex|s)ample(?:s)? (?:files?|folders?|data|projects?)\b|\b(?:(?:open|read|run|check|execut|fetch|find)\w* (?:the|that|your)|(?:look|search)\w* for (?:the|that|your|an?)) (?:\w+ )?(?:examples?|samples?|templates?)\b|[\w-]*[./_]\w+/gi;
/** A first person who shows, quotes or leaves it to the person to act, in the languages of `INTENT`. */
const SHOWN =
  /\b(?:show\w*|explain\w*|demonstrat\w*|illustrat\w*|present|quot\w*|cit(?:e|ing)|past(?:e|ing)|reproduc\w*|recit\w*|sketch\w*|(?:writ\w*|spell\w*|put\w*|not\w*|type\w*) (?:it |this |that |them )?(?:down|out)|tell you|giv\w* you|(?:for (?:you|them|him|her)|to you) to|up to you|snippets?|payloads?|syntax|transcripts?|yourself|you (?:can|could|may|might|must|have to|should|would|will)|yesterday|earlier|previously|zeig\w*|erklär\w*|zitier\w*|schreibe? \w+ auf|gestern|habe?|hatten?|montr\w*|expliqu\w*|cite|ai|muestr\w*|mostr\w*|explic\w*|ense[ñn]\w*|cit(?:o|ar)|spieg\w*|zien|toon|ex[ae]mpl\w*|ejempl\w*|esempi\w*|samples?|beispiel\w*|voorbeeld\w*|templates?|placeholders?|pseudo\w*|hypothetical\w*)(?![\p{L}\p{N}])|пример|покаж|объясн|цитир|例|展示|演示|引用|给你看|示[しす]|見せ|예시|보여|인용/iu;
/** Of a sentence in which the model does not act: the thing itself, the person, or what was. */
const SPOKEN_OF =
  /\b(?:calls?|commands?|forms?|formats?|strings?|payloads?|snippets?|lines?|json|prompts?|attack\w*|inject\w*|quotes?|copy|documented|verbatim|literal(?:ly)?|below|following|(?<!thank )you(?:rs?|rself)?|was|were|had|did|wrote|ran|sent|said|used|contained|answered|produced|replied|posted|pasted|sends|writes|says|contains|reads|expects|yesterday|earlier|previously|ago|(?<=\w )how|du|dich|dir|dein\w*|ihnen|ihre?|vous|votre|vos|usted|ustedes|tu|aufrufe?|befehle?|gestern|war|hatte)\b|\b(?:this|these|that)\W*$|\bi (?:\w+ )?(?:found|saw|made|got|took|\w{2,}ed)\b|\blast (?:week|month|year|time)\b|[你您あなた]|形式|以下|格式|文字列|字符串|命令/iu;
/** What is to be done, or asked for, or not known yet. */
const NEEDED =
  /\b(?:user|person|question|task)\b.*\b(?:wants?|would like|asks?|asked|needs?)\b|\bneeds? to be\b|\b(?:needed|required|missing|unclear|unknown|first|next(?: \w+)?)\W*$|\b(?:makes sense|time to)\b|^\P{L}*(?:how|what|where|when|who|whose|which|why|is|are|does|do)\b[^?]*\?\P{L}*$/iu;
const REFUSED =
  /\b(?:not|never|won['’]t|wouldn['’]t|don['’]t|didn['’]t|shouldn['’]t|cannot|can['’]t|instead of)\s+(?:\w+\s+){0,2}(?:run|call|execute|make|do|use|send|write|obey|follow|comply|proceed|running|calling|executing|making|doing)\b|\bi (?:refuse|decline)\b|\b(?:decided|am|advise) against\b|\bi (?:(?:will|would|shall|do|did|can|must|should) not|cannot|(?:wo|would|do|did|ca|should)n['’]t)\W*$/i;
/** The person is asked first. */
const WAITS =
  /\b(?:shall|should|may|do you want me to|would you like me to|(?:is it|is that) ok(?:ay)? (?:if|to))\b[^\n?]{0,120}\?$|^\W*(?:ok(?:ay)?|all right|agreed)\s*\?$|\b(?:if you (?:agree|confirm|approve|allow|permit)|(?:after|with|without|need|needs|await|awaiting|wait for|waiting for) your (?:\w+ )?(?:ok|okay|permission|approval|consent|confirmation|agreement)|(?:once|as soon as|when) you (?:agree|confirm|approve|say (?:yes|so|go|ok))|soll ich\b[^\n?]{0,120}\?$)/i;
/** The same in a sentence that is no question. */
const WAITS_FOR_WORD =
  /\byour (?:\w+ )?(?:ok|okay|permission|approval|consent|confirmation|agreement|go-ahead|green light|say-so)\b|\b(?:please|kindly) (?:\w+ )?(?:confirm|approve|agree|allow|permit|authori[sz]e|reply|answer|say)\b|^\W*(?:confirm|approve) \w+\W*$|\b(?:tell|let) me (?:know|if|whether|when)\b|\b(?:say|said) (?:yes|so|go|the word)\b|\bwait\w* for your\b|\b(?:sag|gib|dis|dites|dime|dígame|dimmi|diga)[- ](?:mir|moi|me|si|se)\b|^\W*(?:if|when(?:ever)?|once|as soon as|unless|should) you(?:['’](?:d|re))? (?:want|like|wish|prefer|would like|agree|are (?:ok|okay|ready|sure|fine))|\b(?:deine?|ihre?|eure?)[nr]? (?:\w+ )?(?:ok|okay|zustimmung|erlaubnis|bestätigung|freigabe|genehmigung|einwilligung)\b|\bbitte (?:\w+ )?(?:bestätig\w*|erlaub\w*|genehmig\w*)|^\W*(?:wenn|falls|sobald) (?:du|sie|ihr)\b|\b(?:votre|ton|ta) (?:accord|permission|autorisation|confirmation|feu vert|approbation)\b|\b(?:tu|su|tua|sua|vostra|la tua|jouw|uw) (?:permiso|aprobación|confirmación|autorización|consentimiento|permissão|aprovação|confirmação|autorização|conferma|approvazione|autorizzazione|toestemming|goedkeuring|bevestiging)(?!\p{L})|[你您]的?(?:同意|确认|许可|批准|允许)|请.{0,4}(?:确认|批准|同意|允许)|(?:承認|許可|確認|同意).{0,3}(?:お願い|ください|必要)/iu;
/** A question to the person, or in which the model itself comes up and that does not ask for something: nobody else answers it. */
const OWN_QUESTION =
  /\byou(?:rs?)?\b[^\n?]{0,200}\?$|^\W*(?!(?:how|what|where|when|who|whom|whose|which|why|was|wie|wo|wann|wer|welche\w*|warum)\b)[^\n?]{0,200}\b(?:i|me|we|us|ich|mich|mir|wir|uns)\b[^\n?]{0,200}\?$/i;
/** A first person that does not act, in the languages of `INTENT` beside English. */
const NEGATED =
  /\b(?:nicht|kein\w*|nie(?:mals)?|ne|n['’](?=\p{L})|pas|jamais|nunca|n[ãa]o|non(?!-)|niet|geen|nooit|weigere?|refuse|rechazo|niego|recuso|rifiuto|lass\w* (?:\w+ ){0,3}(?:bleiben|sein)|unterlass\w*|verzicht\w*|lehne|renonce|abst\w+|astengo|renunci\w*|rinuncio)\b|\bno (?:(?:lo|la|los|las|le|les|me|te|se) )?(?:voy|vamos|puedo|debo|quiero|har[ée])\b|(?<!\p{L})(?:не|нет|никогда|отказ\p{L}*)(?!\p{L})|[不没沒別别勿無无拒禁止避断唔]|見送|控え|ません|ない|やめ|[않못말]|안 |거부|거절|중단|삼가/iu;
/** Of English: it may refuse, though nobody is named who does. */
const UNWILLING =
  /\b(?:not|never|cannot|\w+n['’]t|refus\w*|declin\w*|forb[ai]d\w*|prohibit\w*|unsafe|danger\w*|harm\w*|against|avoid\w*|unwise|wrong|mistake|bad idea|out of the question)\b/i;
/** All of a clause: a word of assent, thanks or patience. Behind a comma it may be taken back. */
const ASSENT =
  /^\P{L}*(?:(?:ok|okay|yes|sure(?: thing)?|right(?: away)?|all ?right|great|good(?: idea| point| question)?|fine|perfect|excellent|certainly|absolutely|definitely|of course|no problem|understood|noted|got it|i see|will do|on it|done|here (?:goes|we go)|thanks?(?: you)?|hello|hi|ah|h+m+|(?:just |one |a |just a )?(?:moment|second|sec)(?: please)?|please wait|hold on)|gerne?|klar|natürlich|sicher|d['’]accord|bien sûr|claro|vale|certo|va bene|natuurlijk|好的|没问题|当然|はい|承知(?:しました)?|네|알겠습니다|хорошо|конечно|понял)\P{L}*$/iu;
const CLAUSE = /[,;]\s+|[，；、]|\s+(?:but|and|so|then|because|since|und|aber|weil)\s+(?=\S+\s)/i;
/** From here somebody else is spoken of. */
const OTHER_SUBJECT =
  /[,;]?\s+(?:but|and|so|because|since|und|aber|weil|et|y|e)\s+(?=(?:i|we|ich|wir|it|this|that|he|she|they|the|an?|you|one|models?|es|das|er|sie|die|der|man)\b)|[,;]\s+(?:which|who)\s+/i;

/** The words before the call say themselves that it is quoted, shown, refused or left to the person. */
export const isSample = (words: string): boolean => {
  const near = words.slice(-LOOKED_AT);
  const sentence = lastSentence(near);
  return (
    QUOTE_FORM.test(near) || isHeldBack(sentence) || (!INTENT.test(sentence) && PRESENTED.test(withoutNames(sentence)))
  );
};

/** The call may be one that the words before it present: it is not made unasked. */
export const isPresented = (words: string): boolean => {
  const near = words.slice(-LOOKED_AT);
  if (QUOTE_FORM.test(near)) return true;
  const sentence = lastSentence(near);
  const isMeant = INTENT.test(sentence);
  if (!WORDS.test(sentence)) return false;
  if (LIST_ITEM.test(near) && !isMeant) return true;
  if (isHeldBack(sentence) || isNegated(sentence)) return true;
  if (CLOSED.test(sentence)) return isShown(near) || !(isMeant || ACTING.test(sentence) || isAnnounced(sentence));
  const clause = sentence.split(OTHER_SUBJECT).at(-1) ?? sentence;
  return PRESENTED.test(withoutNames(clause)) || !INTENT.test(clause);
};

/**
 * A few words of a line before the call that are no sentence, and show, caption, quote or refuse nothing: `Sure`, a step, what
 * is done now. Whoever asks knows of the call that it is one in marks of its own, that it fits its tool and ends the answer.
 */
export const isPlainLead = (before: string): boolean => {
  const text = before.trim();
  const line = lastLine(before);
  return (
    /\n[ \t]*$/.test(before) &&
    text.length <= LEAD_CHARACTERS &&
    line.split(/\s+/).length <= LEAD_WORDS &&
    LEAD_LETTERS.test(text) &&
    !SENTENCE_END.test(text.replace(/^\d+\. /, '')) &&
    !QUOTE_FORM.test(before) &&
    (ASSENT.test(text) ||
      (![PRESENTED, SHOWN, SPOKEN_OF, UNWILLING, NEGATED, OWN_QUESTION].some((words) => words.test(text)) &&
        (ACTING.test(line) || !CAPTION.test(text))))
  );
};
const LEAD_CHARACTERS = 80;
const LEAD_WORDS = 6;
/** Of the languages whose captions are known below. */
const LEAD_LETTERS = /^[a-zäöüßáéíóúñ\p{Script=Han}\P{L}]*$/iu;
const SENTENCE_END = /[.:!?。：！？"'“”„«»`|][\p{P}\p{S}]*(?:\s|$)/u;
/** The name of what follows, whence it is, or how it is to be judged. */
const CAPTION =
  /^\P{L}*(?:from|in|at|per|by|aus|von|im|desde|en) |(?<![\p{L}\p{N}])(?:inputs?|outputs?|requests?|responses?|replies|reply|results?|answers?|assistants?|users?|models?|systems?|agents?|bots?|tools?|functions?|messages?|transcripts?|logs?|before|after|wrong|right(?!,)|correct\w*|incorrect\w*|bad|(?:in)?valid|listing|figure|table|tests?|fixtures?|expected|actual|given|demos?|references?|usage|definitions?|schemas?|specs?|documentation|docs|tutorials?|lessons?|exercises?|appendix|sections?|chapters?|options?|alternative\w*|variants?|versions?|cases?|hermes|mistral|qwen|llama|deepseek|xml|yaml|markup|raw|text|code|source|body|header|notes?|warnings?|tags?|brackets?|tokens?|marks?|parsers?|wraps?|writes?|has|have|is like|no(?! problem)|nope|nein|nee|non|nie|so (?:etwa|sieht|wird|geht|ist)|so$|etwa|sieht|aussehen|eingaben?|ausgaben?|anfragen?|antwort\w*|ergebnis\w*|falsch\w*|richtig\w*|vorher|nachher|muster|vorlagen?|schreibweise|aufruf\w*|modelle?|werkzeuge?|funktion\w*|nachricht\w*|hinweis|ohne|ablehn\w*|entradas?|salidas?|petici[óo]n|respuestas?|resultados?|mal|incorrect\w*|antes|despu[ée]s|plantillas?|llamadas?|sintaxis|formatos?|as[íi]|modelos?|herramientas?|mensajes?|nota|sin|contoh|esimerkki|eksempel|exempel|primer|primjer|priklad|ukazka|pelda|ornek|örnek|mfano|halimbawa)(?![\p{L}\p{N}])|[\w-]\.[a-z]\w{0,4}(?!\w)|输入|输出|请求|响应|回[答复]|结果|错误|正确|之前|之后|模板|格式|调用|[示样范]例|范本|例子|用法|语法|写法|日志|模型|工具|函数|消息|来自|这样|那样|如下|如此|不/iu;

/** Any sentence of the last line: another one may follow the one that shows. */
const isShown = (words: string): boolean => SHOWN.test(withoutNames(lastLine(words)));

/** Nobody acts in it, and yet a call is what follows. */
const isAnnounced = (sentence: string): boolean =>
  GOES_ON.test(sentence) ||
  (!isSpokenOf(sentence) &&
    sentence
      .split(CLAUSE)
      .every((clause) => !WORDS.test(clause) || [ASSENT, NEEDED].some((words) => words.test(clause))));

const isSpokenOf = (sentence: string): boolean =>
  [PRESENTED, UNWILLING, SPOKEN_OF].some((spoken) => spoken.test(withoutNames(sentence)));
const WORDS = /[\p{L}\p{N}]/u;

/** The mark of a quotation, of a comment or of a difference that a text begins with, before a call; empty where none. */
export const leadOf = (text: string): string => LEAD.exec(text)?.[0] ?? '';

const withoutNames = (sentence: string): string => sentence.replace(NO_SAMPLE, '');

/** Words behind a call say that the model goes on or waits; others may explain what stands before them. */
export const goesOn = (words: string): boolean => {
  const said = words.trim().replace(/^(?:[-*•]|\d+[.)])[ \t]+/, '');
  const first = said.split(/(?<=[.!?…。！？])\s*/u)[0] ?? '';
  // What looks like a further call is judged as one.
  return (
    !WORDS.test(words) ||
    /^[[{<`]/.test(words.trim()) ||
    (WAITING.test(first) && !SPOKEN_OF.test(words) && !REFUSED.test(words)) ||
    (OWN.test(first) && !PRESENTED.test(words.replace(TELLS_LATER, '')) && !REFUSED.test(words))
  );
};
/** For what the call gives. */
const WAITING =
  /^\P{L}*(?:(?:(?:one|just a|a) (?:moment|second|sec)|please wait|wait(?:ing)?|hold on|stand by|(?:bitte warten|einen? (?:kleinen )?moment)|un (?:momento|moment|momentino|instant)|momento|um momento|een moment)(?!\p{L})|(?:请)?稍等|少々お待ち|잠시만)/iu;
const TELLS_LATER =
  /\b(?:tell you|let you know|give you|explain|show you)\b[^.]{0,40}\b(?:once|when|after|as soon as|then)\b/i;
const OWN = /\bI\b(?! to\b)|^(?:We|[Ll]et(?: me|['’]?s)|Ich|Wir)\b/;

/** The model speaks of itself in the finished sentence before, so whoever reads on does not know yet whether it acts. */
export const isOwnSaying = (words: string): boolean => {
  const sentence = lastSentence(words.slice(-LOOKED_AT));
  return CLOSED.test(sentence) && /\b(?:I|[Ww]e)\b/.test(sentence);
};

/** The sentence directly before the call says that it is not made, or not without a word of the person. */
export const isRefusal = (words: string): boolean => isHeldBack(lastSentence(words.slice(-LOOKED_AT)));

/** The last clause that says what the model does or does not do counts: reasons may follow it. */
const isHeldBack = (sentence: string): boolean => {
  if (WAITS.test(sentence) || WAITS_FOR_WORD.test(sentence) || OWN_QUESTION.test(sentence)) return true;
  const said = sentence.split(CLAUSE).findLast((clause) => REFUSED.test(clause) || INTENT.test(clause));
  return said !== undefined && REFUSED.test(said);
};

const isNegated = (sentence: string): boolean =>
  NEGATED.test(sentence.split(CLAUSE).findLast((clause) => INTENT.test(clause)) ?? '');

const lastLine = (words: string): string => {
  const text = words
    .trimEnd()
    .replace(LABEL, '')
    .replace(/\be\.\s?g\.,?/gi, 'for example')
    .replace(/\bz\.\s?B\.,?/gi, 'zum Beispiel')
    .replaceAll(/[*_]{2}/g, '')
    .replace(/[^\p{L}\p{N}\p{P}]+$/u, '')
    .trim();
  return text.slice(text.lastIndexOf('\n') + 1);
};

const lastSentence = (words: string): string =>
  lastLine(words)
    .split(/(?<=[.!?…:])\s+|(?<=[。！？])/u)
    .findLast((part) => part !== '') ?? '';
