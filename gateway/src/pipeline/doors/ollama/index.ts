export { ollamaChat, ollamaGenerate } from './chat.ts';
export { ollamaEmbed, ollamaEmbeddings } from './embed.ts';
export { ollamaTags } from './tags.ts';
