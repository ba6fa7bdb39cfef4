/** Words of instructions to a model, by what they mean, in the languages that the check knows. */

export type Concept =
  | 'ignore'
  | 'instructions'
  | 'rules'
  | 'given'
  | 'all'
  | 'reveal'
  | 'system'
  | 'pretend'
  | 'unbound';

/**
 * Lower case, without accents. A star stands for any ending. Order: English, German, French, Spanish, Portuguese, Italian, Dutch,
 * Polish, Turkish, Russian; then scripts without spaces, and Korean.
 */
const WORDS: Readonly<Record<Concept, string>> = {
  ignore: `ignor* disregard* forget forgets overrid* bypass* neglect* discard ignorier* vergiss vergessen missacht* umgeh*
    oubli* neglige* contourn* olvid* descart* esquec* desconsider* dimentic* trascur* negeer* vergeet zignoruj* ignoruj* zapomnij pomin
    unut* yoksay* gormezden игнорир* проигнорир* забудь* забыть отбрось*
    忽略 无视 無視 忘记 忘掉 不理会 忘れ 무시 잊어`,
  instructions: `instruction* directive* prompt prompts command commands anweisung* anweisungen befehl* vorgaben consigne* instrucc* indicacion*
    instruc* istruzion* comandi instructies opdrachten instrukcj* polecen* talimat* komut* инструкц* указан* команд* промпт*
    指令 指示 提示词 提示詞 命令 プロンプト 지시 명령 프롬프트`,
  rules: `rule rules guideline* restriction* constraint* guardrail* polic* safeguard* regel* richtlinie* einschrankung* regles reglas
    restricc* regras restric* regole restrizion* regels zasad* regul* kural* kisitlama* правил* ограничен*
    规则 規則 限制 ルール 制限 규칙 제한`,
  given: `previous previously prior above earlier preceding former your original initial foregoing vorherig* vorigen obige* bisherig* deine* ursprunglich*
    precedent* anterieur* vos tes anterior* previa* previo* tus anteriores suas precedent* tue vorige eerdere bovenstaande poprzedni* wczesniejsz* twoje swoje
    onceki yukaridaki предыдущ* прежн* свои твои выше
    之前 以前 先前 上面 上述 前面 以上 これまで 前の 上記 이전 위의 앞의`,
  all: `all any every everything alle allen alles toutes tous todas todos tutte tutti wszystkie tum butun все всех всё 所有 全部 一切 すべて 全て 모든`,
  reveal: `reveal* show print* repeat* display* output* disclos* leak* expose tell dump verbatim zeig* verrat* gib wiederhol* offenbar* montr* revel* affich* repet*
    muestr* mostr* dime repit* imprim* mostra* rivel* stampa* ripet* toon onthul* herhaal* pokaz* ujawni* powtorz* goster* acikla* yazdir покаж* раскро* выведи повтори
    显示 顯示 告诉 透露 输出 輸出 打印 泄露 見せ 表示 教え 出力 보여 알려 출력 공개`,
  system: `system systems hidden secret initial systemprompt systemanweisung* versteckt* geheim* systeme cachee* secret* sistema ocult* nascost* segret* systeem* verborgen
    systemow* ukryt* sistem gizli систем* скрыт* секретн* 系统 系統 隐藏 隱藏 初始 システム 隠し 시스템 숨겨진 초기`,
  pretend: `pretend* roleplay* act acting simulate simulat* persona become imagine now mode enter behave tu spiel* verhalt* modus comporte* agis mode actua finge modo
    comporta* fingi modalita gedraag doe udawaj zachowuj davran притвор* веди режим представь 扮演 假装 假裝 模式 模拟 ふり モード 演じ 척 모드 역할`,
  unbound: `unrestricted unfiltered uncensored unlimited jailbreak jailbroken dan unethical amoral uneingeschrankt* ungefiltert* unzensiert* illimite* sanscensure
    irrestrict* sinrestricciones senzalimiti ongefilterd* onbeperkt* nieograniczon* sinirsiz* sansursuz* неограничен* нецензур*
    越狱 越獄 不受限制 没有限制 沒有限制 无限制 制限なし 制限のない 脱獄 탈옥 제한없`,
};

/** From here on, scripts are written without spaces, or with endings that hide the words. */
const FIRST_WITHOUT_SPACES = '\u2e80';
/** Shortest and longest beginning that is looked up, in characters. */
const MIN_STEM = 4;
const MAX_WORD = 16;
const MIN_JOINED = 3;

const entries = Object.entries(WORDS).flatMap(([concept, words]) =>
  // The keys of the table above.
  words.split(/\s+/).map((word) => [word, concept as Concept] as const),
);

const indexOf = (words: typeof entries): ReadonlyMap<string, readonly Concept[]> => {
  const index = new Map<string, Concept[]>();
  for (const [word, concept] of words) index.set(word, [...(index.get(word) ?? []), concept]);
  return index;
};

const EXACT = indexOf(entries.filter(([word]) => !word.endsWith('*')));
const STEMS = indexOf(entries.filter(([word]) => word.endsWith('*')).map(([word, c]) => [word.slice(0, -1), c]));
/** What a word begins with that a stem may be of. */
const BEGINNINGS: ReadonlySet<string> = new Set([...STEMS.keys()].map((stem) => stem.slice(0, MIN_STEM)));
const PARTS = indexOf(entries.filter(([word]) => word >= FIRST_WITHOUT_SPACES));
const LONGEST_PART = 5;
const NONE: readonly Concept[] = [];

/** What a word of lower-case letters without accents may mean. */
export function conceptsOf(word: string): readonly Concept[] {
  if (word >= FIRST_WITHOUT_SPACES) return conceptsInside(word);
  const found = EXACT.get(word);
  if (found !== undefined) return found;
  if (!BEGINNINGS.has(word.slice(0, MIN_STEM))) return NONE;
  for (let length = Math.min(word.length, MAX_WORD); length >= MIN_STEM; length--) {
    const stem = STEMS.get(word.slice(0, length));
    if (stem !== undefined) return stem;
  }
  return NONE;
}

function conceptsInside(text: string): readonly Concept[] {
  const found = new Set<Concept>();
  for (let at = 0; at < text.length; at++) {
    for (let length = 1; length <= LONGEST_PART; length++) {
      for (const concept of PARTS.get(text.slice(at, at + length)) ?? NONE) found.add(concept);
    }
  }
  return [...found];
}

/** What words without spaces between them may mean: letters that were written apart, joined. */
export function conceptsOfJoined(letters: string): readonly Concept[] {
  const found = new Set<Concept>();
  for (let at = 0; at < letters.length; at++) {
    for (let length = MIN_JOINED; length <= MAX_WORD; length++) {
      const word = letters.slice(at, at + length);
      for (const concept of EXACT.get(word) ?? STEMS.get(word) ?? NONE) found.add(concept);
    }
  }
  return [...found];
}
