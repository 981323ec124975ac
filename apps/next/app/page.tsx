export default function Page() {
  return <p>Our menu is at /api/mcp, for models to read.</p>;
}
