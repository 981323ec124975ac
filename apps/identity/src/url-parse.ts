// The provider asks for URL.parse(), which Node has since version 22. Imported before it.
if (!('parse' in URL)) {
  const parse = (url: string, base?: string): URL | null =>
    URL.canParse(url, base) ? new URL(url, base) : null;
  Object.assign(URL, { parse });
}
