import type Provider from 'oidc-provider';

/**
 * Has a provider listen on this machine. When it cannot, the program ends with a sentence about it, and exit code 1.
 *
 * @param option that says another port, such as `--port`.
 */
export function listen(provider: Provider, port: number, option: string, listening: () => void): void {
  const server = provider.listen(port, '127.0.0.1', listening);
  server.once('error', (error: NodeJS.ErrnoException) => {
    const isTaken = error.code === 'EADDRINUSE';
    console.error(
      isTaken
        ? `Port ${port} is used by another program: end that one, or choose another port with ${option}`
        : `The authorization server cannot listen: ${error.message}`,
    );
    process.exit(1);
  });
}
