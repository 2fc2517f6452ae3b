//! scratch
fn main(){let mut s=String::new();std::io::Read::read_to_string(&mut std::io::stdin(),&mut s).unwrap();let v:Vec<String>=serde_json::from_str(&s).unwrap();
let out:Vec<serde_json::Value>=v.iter().map(|s|{let d=briefing::formats::marked::parse(s);let raw:String=d.blocks.iter().map(|b|b.raw.as_str()).collect();serde_json::json!([d.texts(),raw])}).collect();println!("{}",serde_json::to_string(&out).unwrap());}
