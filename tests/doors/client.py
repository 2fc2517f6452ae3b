"""briefing mcp, asked by the official client from PyPI, which speaks protocol 2026-07-28: no handshake, streams of changes."""

import asyncio
import os
import pathlib
import tempfile

from mcp import Client, MCPError, StdioServerParameters

FILES = {
    ".git/HEAD": "ref: refs/heads/main\n",
    "AGENTS.md": "Root rules.\n",
    "CLAUDE.md": "Ask before you delete.\n",
    "src/CLAUDE.md": "Handlers log nothing.\n",
    "src/a.rs": "fn a() {}\n",
}


async def follows(client, project):
    """Who follows a prompt is told when it changes, and another one is not."""
    async with client.listen(resources_list_changed=True, resource_subscriptions=["briefing:/codex", "file:///x"]) as stream:
        assert stream.honored.resource_subscriptions == ["briefing:/codex"], stream.honored
        (project / "CLAUDE.md").write_text("Ask.\n")
        (project / "AGENTS.md").write_text("Other rules.\n")
        event = await asyncio.wait_for(anext(stream), 20)
        assert event.uri == "briefing:/codex", event
    text = (await client.read_resource("briefing:/codex")).contents[0].text
    assert "Other rules." in text, text


async def answers(client, project):
    tools = [tool.name for tool in (await client.list_tools()).tools]
    assert tools == ["effective_instructions", "explain", "instruction_files", "compare", "check", "why"], tools
    ask = {"file": "src/a.rs", "harness": "claude-code", "when": "read", "include": ["text"]}
    result = await client.call_tool("effective_instructions", ask)
    assert not result.is_error, result
    briefing = result.structured_content["briefings"][0]
    assert briefing["loaded"] == [str(project / "src/CLAUDE.md")], briefing
    assert "Handlers log nothing." in briefing["messages"][0]["text"], briefing
    again = await client.call_tool("effective_instructions", {**ask, "alreadyLoaded": briefing["loaded"]})
    assert again.structured_content["briefings"][0]["messages"] == [], again


async def refuses(client, _):
    outside = await client.call_tool("effective_instructions", {"file": "/etc/passwd"})
    assert outside.is_error and "is outside of the workspace" in outside.content[0].text, outside
    missing = await client.call_tool("explain", {})
    assert missing.is_error and missing.content[0].text == "`file` is missing: a string", missing
    for wrong in (client.read_resource("briefing:/codex/etc/passwd"), client.call_tool("delete", {})):
        try:
            await wrong
        except MCPError as error:
            assert "outside of the workspace" in str(error) or "there is no tool `delete`" in str(error), error
        else:
            raise AssertionError("it was answered")


async def main():
    with tempfile.TemporaryDirectory() as scratch:
        home = pathlib.Path(scratch).resolve()
        project = home / "project"
        for path, text in FILES.items():
            file = project / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        server = StdioServerParameters(
            command=os.environ["BRIEFING"],
            args=["mcp", "--cwd", str(project), "--harness", "codex,claude-code"],
            env={"HOME": str(home)},
        )
        async with Client(server) as client:
            assert client.protocol_version >= "2026-07-28", client.protocol_version
            assert client.server_info.name == "briefing", client.server_info
            for test in (answers, refuses, follows):
                await asyncio.wait_for(test(client, project), 60)
                print(f"ok {test.__name__}")


asyncio.run(main())
