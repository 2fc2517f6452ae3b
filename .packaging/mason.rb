# Does what Mason does with a package file, as far as ours goes. usage: mason.rb FILE DIRECTORY-OF-ARCHIVES PREFIX PLATFORM
require "fileutils"
require "yaml"

file, archives, prefix, platform = ARGV
package = YAML.safe_load_file(file)
missing = %w[name description homepage licenses languages categories source bin] - package.keys
raise "the file lacks #{missing}" unless missing.empty?
raise "no package of GitHub with a version: #{package["source"]["id"]}" unless package["source"]["id"].match?(%r{\Apkg:github/[^/]+/[^@/]+@v\d})
asset = package["source"]["asset"].find { |one| one["target"] == platform } || raise("nothing for #{platform}")
FileUtils.mkpath("#{prefix}/bin")
system("tar", "-xzf", "#{archives}/#{asset["file"]}", "-C", prefix) || raise("the archive cannot be unpacked")
package["bin"].each do |name, where|
  program = where.sub("{{source.asset.bin}}", asset["bin"])
  raise "#{program} is not in the archive" unless File.executable?("#{prefix}/#{program}")
  File.symlink("../#{program}", "#{prefix}/bin/#{name}")
end
