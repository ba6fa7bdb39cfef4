export { type Answer, composeAnswer, composeAnswers, type ToolCall } from './compose.ts';
export { embedText, toBase64 } from './embed.ts';
export { type Prompt, type PromptOptions, type Tool, type ToolChoice, type Turn, toPrompt } from './prompt.ts';
export { type Rank, rankTexts } from './rank.ts';
export { countTokens, splitEvenly, splitPieces } from './tokens.ts';
