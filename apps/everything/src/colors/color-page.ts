/** A page that shows the color of the latest tool result as its background. It loads no other files. */
export const COLOR_PAGE = `<!doctype html>
<meta charset="utf-8">
<title>Color</title>
<style>body { margin: 0; height: 8rem; font: 1rem sans-serif; display: grid; place-items: center; }</style>
<body>No color yet</body>
<script>
  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  addEventListener('message', ({ data }) => {
    if (data?.id === 1) send({ method: 'ui/notifications/initialized', params: {} });
    const color = data?.method === 'ui/notifications/tool-result' && data.params?.structuredContent?.color;
    if (!/^#[0-9a-f]{6}$/.test(color)) return;
    document.body.style.background = color;
    document.body.textContent = color;
  });
  const appInfo = { name: 'color', version: '1.0.0' };
  const params = { appInfo, appCapabilities: {}, protocolVersion: '2026-01-26' };
  send({ id: 1, method: 'ui/initialize', params });
</script>
`;
